// What express-session reads and writes. It reads both kinds of session: one that is signed in (signed-in.ts) and one that
// is signing out. It writes only the second kind; of a browser that has only begun to sign in nothing is kept but its cookie.
import { Store, type SessionData } from 'express-session'
import { nameOf, type Sealer } from './seal.ts'
import { sealedJson, type SealedJson } from './sealed-json.ts'
import type { SealedTexts } from './sealed-texts.ts'
import type { SignOut } from './session.ts'
import { holderOf, type SignIns } from './signed-in.ts'

/** Anyone can make us write these, so they are small and soon gone. */
const SIGNING_OUT_SECONDS = 600

type Done<T = void> = (error?: unknown, result?: T) => void

export class SessionStore extends Store {
  readonly #texts: SealedTexts
  readonly #signIns: SignIns
  readonly #json: SealedJson<{ signOut?: SignOut }>

  constructor({ texts, signIns, sealer }: { texts: SealedTexts; signIns: SignIns; sealer: Sealer }) {
    super()
    this.#texts = texts
    this.#signIns = signIns
    this.#json = sealedJson({ sealer, version: 1 })
  }

  override get = (id: string, done: Done<SessionData | null>): void => settle(this.#read(id), done)

  override set = (id: string, { signOut }: SessionData, done: Done = () => {}): void => {
    if (signOut === undefined) return done()
    const sealed = this.#json.seal({ signOut }, holderOf(id))
    settle(this.#texts.set(nameOf(id), sealed, SIGNING_OUT_SECONDS), done)
  }

  override destroy = (id: string, done: Done = () => {}): void =>
    settle(this.#texts.destroy(nameOf(id)), done)

  async #read(id: string): Promise<SessionData | null> {
    const session = { cookie: { originalMaxAge: null } }
    const sealed = await this.#texts.get(nameOf(id))
    if (sealed === undefined) return null
    const signedIn = this.#signIns.open(id, sealed)
    if (signedIn !== undefined) return { ...session, signedIn }
    const signOut = this.#json.open(sealed, holderOf(id))?.signOut
    if (signOut !== undefined) return { ...session, signOut }
    await this.#texts.destroy(nameOf(id))
    return null
  }
}

function settle<T>(work: Promise<T>, done: Done<T>): void {
  work.then(
    (result) => done(undefined, result),
    (error: unknown) => done(error),
  )
}
