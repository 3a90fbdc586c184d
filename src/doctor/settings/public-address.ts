// Addresses in findings: without query, fragment or user name, and nothing that could act on a terminal.
import { isSafe } from '../../loopback.ts'

/** Undefined for what is no web address. */
export function publicAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 300 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return /^https?:$/.test(url.protocol)
    ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
    : undefined
}

/** https, or this machine; not what is no address. */
export const isSafeAddress = (text: string): boolean => URL.canParse(text) && isSafe(new URL(text))
