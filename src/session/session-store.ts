// What express-session reads: the sign-in (signed-in.ts). It writes nothing; of a browser that has only begun to sign in
// nothing is kept but its cookie.
import { Store, type SessionData } from 'express-session'
import { nameOf } from '../records/seal.ts'
import type { SealedTexts } from './sealed-texts.ts'
import type { SignIns } from './signed-in.ts'

type Done<T = void> = (error?: unknown, result?: T) => void

export class SessionStore extends Store {
  readonly #texts: SealedTexts
  readonly #signIns: SignIns

  constructor({ texts, signIns }: { texts: SealedTexts; signIns: SignIns }) {
    super()
    this.#texts = texts
    this.#signIns = signIns
  }

  override get = (id: string, done: Done<SessionData | null>): void => settle(this.#read(id), done)

  override set = (_id: string, _session: SessionData, done: Done = () => {}): void => done()

  override destroy = (id: string, done: Done = () => {}): void =>
    settle(this.#texts.destroy(nameOf(id)), done)

  async #read(id: string): Promise<SessionData | null> {
    const sealed = await this.#texts.get(nameOf(id))
    if (sealed === undefined) return null
    const signedIn = this.#signIns.open(id, sealed)
    if (signedIn !== undefined) return { cookie: { originalMaxAge: null }, signedIn }
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
