// What is kept of a browser that was signed out, by the hash of the session id that its cookie still has: the way to the
// authorization server's own sign-out, and that the next sign-in has to ask who is there. Outside of the session, because
// another tab may sign in again at any time, and that must lose neither.
import type { Request } from 'express'
import type { Records } from '../../records/records.ts'
import type { Sealer } from '../../records/seal.ts'
import { sealedJson } from '../../records/sealed-json.ts'
import { browserOf } from '../../session/session.ts'
import { signedInOf } from '../../session/signed-in.ts'

export type SigningOut = {
  /** Where the authorization server ends its own session; kept until the browser goes there. */
  endSessionUrl?: string | undefined
  /** What it was given as `state` (RP-Initiated Logout 1.0, 2): only the browser that signed out can bring it back. */
  state: string
  /** The authorization server sent the browser back from there. */
  isDoneThere?: true
}

export type SignedOut = {
  /** @param name the hash of the session id (nameOf) */
  keep(name: string, signingOut: SigningOut): Promise<void>
  /** What is under way in this browser, also where another tab has signed in again. */
  of(req: Request): Promise<SigningOut | undefined>
  /** The next sign-in there asks for the person, for as long as a sign-in may last. @param name as above */
  askAnew(name: string): Promise<void>
  /** Does a sign-in that starts now have to ask for the person? */
  mustAsk(req: Request): Promise<boolean>
  /** It need no longer ask. @param name as above @returns false where it need not anyway */
  askNoMore(name: string): Promise<boolean>
}

const SIGNING_OUT_SECONDS = 600

type Parts = { records: Pick<Records, 'get' | 'put' | 'remove'>; sealer: Sealer; maxSeconds: number }

export function createSignedOut({ records, sealer, maxSeconds }: Parts): SignedOut {
  const json = sealedJson<SigningOut>({ sealer, version: 1 })
  const keyOf = (name: string) => `signing-out:${name}`
  const askKeyOf = (name: string) => `ask-anew:${name}`

  return {
    keep: (name, signingOut) =>
      records.put(keyOf(name), json.seal(signingOut, keyOf(name)), SIGNING_OUT_SECONDS),
    async of(req) {
      const browser = browserOf(req)
      return browser === undefined ? undefined : json.open(await records.get(keyOf(browser)), keyOf(browser))
    },
    askAnew: (name) => records.put(askKeyOf(name), '1', maxSeconds),
    async mustAsk(req) {
      const browser = signedInOf(req) === undefined ? browserOf(req) : undefined
      return browser !== undefined && (await records.get(askKeyOf(browser))) !== undefined
    },
    async askNoMore(name) {
      if ((await records.get(askKeyOf(name))) === undefined) return false
      await records.remove(askKeyOf(name))
      return true
    },
  }
}
