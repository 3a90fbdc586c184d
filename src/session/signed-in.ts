// Who is signed in: one sealed record per session, read in one place. It has the person, the tokens and the browser.
// What surprises: express-session never writes it. It saves whole sessions and the last one wins, so a slow request would
// bring back tokens that were refreshed meanwhile, or a session that was ended.
import type { Request } from 'express'
import type { Records } from '../records/records.ts'
import { createRemembered } from './remembered.ts'
import { nameOf, type Sealer } from '../records/seal.ts'
import { sealedJson } from '../records/sealed-json.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** The pair of issuer and subject is the identity (OpenID Connect Core 2); the rest is for show. */
export type User = {
  issuer: string
  subject: string
  name?: string | undefined
  email?: string
  emailVerified?: boolean
  /** The claim `locale`: the language that the person's account says (OpenID Connect Core 5.1). */
  locale?: string | undefined
  /** Those of ADMIN_GROUPS that the person was in at sign-in; people are in hundreds of others. */
  groups?: string[] | undefined
}

/** Names a person in the keys of the store, and says neither issuer nor subject. */
export const personKey = ({ issuer, subject }: Pick<User, 'issuer' | 'subject'>): string =>
  nameOf(`${issuer}\n${subject}`)

export type Tokens = {
  accessToken: string
  refreshToken?: string | undefined
  idToken?: string | undefined
  /** Milliseconds since 1970: when the token endpoint answered. */
  issuedAt: number
  /** Milliseconds since 1970; absent where the authorization server did not say. */
  expiresAt?: number | undefined
}

type Content = {
  user: User
  /** The browser that signed in (browserOf): tabs that began before finish there. */
  browser: string
  /** Milliseconds since 1970. */
  signedInAt: number
  tokens: Tokens
}

/** Someone who is signed in. `id` is the session id, which opens the record; `sealed` is the record as it was read. */
export type SignedIn = Readonly<Content & { id: string; sealed: string }>

const found = new WeakMap<Request, SignedIn>()

/** From here on this is who makes the request. */
export const remember = (req: Request, signedIn: SignedIn): void => void found.set(req, signedIn)

/** Who makes the request, where someone who is signed in does and the session was read. */
export const signedInOf = (req: Request): SignedIn | undefined =>
  found.get(req) ?? (req as Partial<Request>).session?.signedIn

/** Who makes the request; only behind requireSignIn. */
export function whoIsSignedIn(req: Request): SignedIn {
  const signedIn = signedInOf(req)
  if (signedIn === undefined) throw new Error('a route that needs a sign-in is mounted before requireSignIn')
  return signedIn
}

export type SignIns = {
  /** What a record holds; undefined when it can't be opened, is of another kind, or is past its longest life. */
  open(id: string, sealed: string): SignedIn | undefined
  /** @param id the session id that the cookie proves @throws {StoreUnavailable} */
  load(id: string): Promise<SignedIn | undefined>
  /** Writes the record of a new session id. */
  create(id: string, content: Content): Promise<SignedIn>
  /**
   * @param groups of ADMIN_GROUPS, where they were said anew
   * @returns undefined when the tokens were replaced meanwhile, or the sign-in was ended
   */
  replaceTokens(signedIn: SignedIn, tokens: Tokens, groups?: string[]): Promise<SignedIn | undefined>
  /** Starts its idle time anew, once in a while. Brings nothing back that was ended. */
  renew(signedIn: SignedIn): Promise<void>
  /** Is there a record? @param name the hash of the session id (nameOf) */
  isKept(name: string): Promise<boolean>
  /** @param name as above */
  end(name: string): Promise<void>
}

export type SignInsOptions = {
  texts: SealedTexts
  records: Pick<Records, 'compareAndSet'>
  sealer: Sealer
  /** SESSION_IDLE_MINUTES, in seconds. */
  idleSeconds: number
  /** SESSION_MAX_HOURS, in seconds. */
  maxSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
}

const PREFIX = 'session:'
/** The id and not its name: a dump of the store then opens nothing, even with the secret. */
export const holderOf = (id: string) => `${PREFIX}${id}`

/** The idle time starts anew after this share of it, so that most pages only read. */
const RENEW_AFTER_SHARE = 0.05
const MAX_REMEMBERED = 50_000

/**
 * Its JSON says nothing: a line of the log must never hold tokens, and express-session makes a hash of the JSON of every
 * session, several times for each answer.
 */
const held = (content: Content, id: string, sealed: string): SignedIn =>
  Object.defineProperty({ ...content, id, sealed }, 'toJSON', { value: () => 'signed in' })

export function createSignIns(options: SignInsOptions): SignIns {
  const { texts, records, sealer, idleSeconds, maxSeconds, now } = options
  const json = sealedJson<Content>({ sealer, version: 1 })
  /** Longer than documented by what a renewal that was left out may cost. */
  const lifeSeconds = Math.ceil(idleSeconds * (1 + RENEW_AFTER_SHARE))
  const remembered = createRemembered<SignedIn | undefined>()
  const renewedAt = new Map<string, number>()

  function noteRenewal(name: string): void {
    if (renewedAt.size >= MAX_REMEMBERED) renewedAt.clear()
    renewedAt.set(name, now())
  }

  const sealedFor = (id: string, { user, browser, signedInAt, tokens }: Content) =>
    json.seal({ user, browser, signedInAt, tokens }, holderOf(id))

  function opened(id: string, sealed: string): SignedIn | undefined {
    const content = json.open(sealed, holderOf(id))
    return content?.user && held(content, id, sealed)
  }

  function open(id: string, sealed: string): SignedIn | undefined {
    const signedIn = remembered.of(nameOf(id), sealed, () => opened(id, sealed))
    return signedIn && now() - signedIn.signedInAt <= maxSeconds * 1000 ? signedIn : undefined
  }

  return {
    open,
    async load(id) {
      const sealed = await texts.get(nameOf(id))
      return sealed === undefined ? undefined : open(id, sealed)
    },
    async create(id, content) {
      const [name, sealed] = [nameOf(id), sealedFor(id, content)]
      await texts.set(name, sealed, lifeSeconds)
      noteRenewal(name)
      return remembered.of(name, sealed, () => held(content, id, sealed)) as SignedIn
    },
    async replaceTokens(signedIn, tokens, groups = signedIn.user.groups) {
      const content = { ...signedIn, user: { ...signedIn.user, groups }, tokens }
      const key = PREFIX + nameOf(signedIn.id)
      const sealed = sealedFor(signedIn.id, content)
      const isReplaced = await records.compareAndSet(key, signedIn.sealed, sealed, lifeSeconds)
      return isReplaced ? held(content, signedIn.id, sealed) : undefined
    },
    async renew({ id }) {
      const name = nameOf(id)
      if (now() - (renewedAt.get(name) ?? 0) < idleSeconds * RENEW_AFTER_SHARE * 1000) return
      noteRenewal(name)
      await texts.touch(name, lifeSeconds)
    },
    isKept: async (name) => (await texts.get(name)) !== undefined,
    end: (name) => texts.destroy(name),
  }
}
