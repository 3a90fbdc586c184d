// The browser functions that the walk needs, few enough for three engines.
import { existsSync } from 'node:fs'

/** A tab. */
export type Tab = {
  open(url: string): Promise<void>
  back(): Promise<void>
  /** The value of a JavaScript expression in the page. Rejects while another page is being loaded. */
  ask<Value>(expression: string): Promise<Value>
  /** Clicks with the mouse what the selector finds first, so that the browser knows that a person was there. */
  click(selector: string): Promise<void>
  /** A further tab of the same browser. */
  another(): Promise<Tab>
}

export type Profile = { tab: Tab; leave(): Promise<void> }

export type Engine = {
  /** With no cookies and no history of others. */
  arrive(): Promise<Profile>
  close(): Promise<void>
}

/** The programs of an engine, and the package of Debian that has each. */
type EngineSetup = Record<string, string>

/** The missing programs on this machine, as text; undefined if there are none. */
export function missing(needs: EngineSetup): string | undefined {
  const absent = Object.entries(needs).filter(([program]) => !existsSync(program))
  return absent.length === 0 ? undefined : `needs ${absent.map(([, name]) => name).join(' and ')}`
}
