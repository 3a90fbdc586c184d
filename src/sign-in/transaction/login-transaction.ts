// A login transaction: the data of a sign-in that its callback needs. It is sent sealed as `state`, so nothing is
// stored for strangers. Its id and the browser cookie give nonce and code_verifier, which it doesn't have (RFC 9700
// 4.7).
import { createHmac, createSecretKey, hash, hkdfSync, randomUUID, type KeyObject } from 'node:crypto'
import type { Request, Response } from 'express'
import { createSealer, hashOf, type Sealer } from '../../records/seal.ts'
import { triggersFirewall, decodeFirewallSafe, encodeFirewallSafe } from '../../records/seal.ts'
import { PROMPTS, type Prompt } from './prompt.ts'

export type LoginTransaction = {
  id: string
  returnTo: string
  startedAt: number
  prompt?: Prompt | undefined
  /** The number of restarts without a click. */
  restarts: number
  /** Hash of the browser cookie and OIDC_ISSUER. */
  browserHash: string
  /** The hash of the browser's session at the start. */
  sessionHash?: string | undefined
}

type TransactionSecrets = { nonce: string; codeVerifier: string; codeChallenge: string }

/** The secrets are right only with the cookie of the browser that began it. */
type OpenedTransaction = {
  transaction: LoginTransaction
  secretsFor: (cookie: string) => TransactionSecrets
}

const shortHash = (secret: string): string => hashOf(secret).slice(0, 22)

/** The browser, and the only authorization server that may get the code (RFC 9700 4.4). */
type TransactionBinding = { cookie: string; sessionId: string | undefined; issuer: string }

const browserHashOf = ({ cookie, issuer }: TransactionBinding): string => shortHash(`${cookie}\n${issuer}`)

const ASSOCIATED_DATA = 'sign-in state 1'

/** A state with the longest return_to has 1,610 characters. */
const MAX_STATE_CHARACTERS = 1_700

/** As long as the browser cookie, because people leave the sign-in page open over lunch. */
const TRANSACTION_SECONDS = 24 * 3600

type TransactionKeys = { sealer: Sealer; secretsKey: KeyObject }

const keysFrom = (secret: string): TransactionKeys => ({
  sealer: createSealer([secret]),
  secretsKey: createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp sign-in 1', 32))),
})

function deriveSecrets({ secretsKey }: TransactionKeys, id: string, cookie: string): TransactionSecrets {
  const derive = (what: string) =>
    createHmac('sha256', secretsKey).update(`${what}\n${id}\n${cookie}`).digest('base64url')
  const codeVerifier = derive('verifier')
  return { nonce: derive('nonce'), codeVerifier, codeChallenge: hash('sha256', codeVerifier, 'base64url') }
}

/** Short, because `state` is part of an address: a list without names, with the number of the prompt. */
type StateFields = [string, string, number, number, string, number | undefined, string | undefined]

function parseTransaction(json: string): LoginTransaction {
  const fields = (JSON.parse(json) as unknown[]).map((field) => field ?? undefined) as StateFields
  const [id, returnTo, startedAt, restarts, browserHash, promptIndex, sessionHash] = fields
  const prompt = promptIndex === undefined ? undefined : PROMPTS[promptIndex]
  return { id, returnTo, startedAt, restarts, browserHash, prompt, sessionHash }
}

export class LoginTransactions {
  readonly #keys: TransactionKeys[]

  /** @param secrets SESSION_SECRET: the first one seals, all of them open */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(keysFrom)
  }

  seal(start: Omit<LoginTransaction, 'id' | 'browserHash' | 'sessionHash'>, binding: TransactionBinding) {
    const [keys] = this.#keys
    const { cookie, sessionId } = binding
    if (keys === undefined) throw new RangeError('LoginTransactions needs a secret')
    let id: string
    let secrets: TransactionSecrets
    do {
      id = Buffer.from(newRandomId(), 'hex').toString('base64url')
      secrets = deriveSecrets(keys, id, cookie)
    } while (Object.values(secrets).some(triggersFirewall))
    const { returnTo, startedAt, restarts, prompt } = start
    const sessionHash = sessionId && shortHash(sessionId)
    const promptIndex = prompt && PROMPTS.indexOf(prompt)
    const browserHash = browserHashOf(binding)
    const fields: StateFields = [id, returnTo, startedAt, restarts, browserHash, promptIndex, sessionHash]
    const state = encodeFirewallSafe(keys.sealer.seal(JSON.stringify(fields), ASSOCIATED_DATA))
    return { state, ...secrets }
  }

  /** @returns undefined if none of our secrets sealed it */
  open(state: string): OpenedTransaction | undefined {
    if (state.length > MAX_STATE_CHARACTERS) return undefined
    const sealed = decodeFirewallSafe(state)
    for (const keys of this.#keys) {
      const json = keys.sealer.open(sealed, ASSOCIATED_DATA)
      if (json === undefined) continue
      const transaction = parseTransaction(json)
      return { transaction, secretsFor: (cookie: string) => deriveSecrets(keys, transaction.id, cookie) }
    }
    return undefined
  }
}

/**
 * Decides whether a callback may redeem its code. `keep-session`: the person has signed in meanwhile; an attacker's
 * link could sign them in to another account (login CSRF, RFC 9700 4.7). `restart`: the transaction is more than a
 * day old, or began in another browser or with another OIDC_ISSUER.
 */
export function checkCallback(
  { startedAt, browserHash, sessionHash }: LoginTransaction,
  { now, ...binding }: TransactionBinding & { now: number },
): 'redeem' | 'keep-session' | 'restart' | 'no-cookie' {
  const { cookie, sessionId } = binding
  if (sessionId !== undefined && shortHash(sessionId) !== sessionHash) return 'keep-session'
  if (cookie === '') return 'no-cookie'
  const isExpired = now - startedAt > TRANSACTION_SECONDS * 1000
  // Earlier versions hashed the cookie alone.
  const isSameBrowserAndIssuer = browserHash === browserHashOf(binding) || browserHash === shortHash(cookie)
  return isSameBrowserAndIssuer && !isExpired ? 'redeem' : 'restart'
}

/**
 * The cookie that binds a login transaction to its browser (RFC 9700 4.7): random, separate from the session cookie,
 * and replaced after each sign-in. A sign-out marks it, so that the next sign-in sends prompt=login.
 */
export type BrowserCookie = {
  /** Transactions are bound to this value. A sign-out changes it, so callbacks of earlier transactions are refused. */
  value: string
  /** The constant random part, by which a pending sign-out is stored. */
  id: string
  promptLogin: boolean
}

const PROMPT_LOGIN_MARK = '.ask'

function parse(value: string): BrowserCookie {
  const [id = ''] = value.split('.')
  return { value, id, promptLogin: id !== value }
}

/** 122 random bits in hex, because firewalls refuse `--`. Much faster than `randomBytes`. */
const newRandomId = () => randomUUID().replaceAll('-', '')

export class BrowserCookies {
  readonly #https: boolean
  readonly #name: string
  readonly #pattern: RegExp

  constructor(https: boolean) {
    this.#https = https
    this.#name = https ? '__Host-onramp-browser' : 'onramp-browser'
    // Allows only spaces and tabs before the name: sibling hosts can set cookies that begin with other whitespace.
    this.#pattern = new RegExp(
      `(?:^|;[ \\t]*)${this.#name}=([\\w-]{22,32}(?:\\${PROMPT_LOGIN_MARK})?)(?:;|$)`,
    )
  }

  read({ headers }: Request): BrowserCookie | undefined {
    const value = this.#pattern.exec(headers.cookie ?? '')?.[1]
    return value === undefined ? undefined : parse(value)
  }

  /** Extends the cookie for another day, or sets the first one. */
  extend(req: Request, res: Response): BrowserCookie {
    return this.#set(res, this.read(req)?.value ?? newRandomId())
  }

  /** Call it after a sign-in: a cookie that an attacker planted before becomes worthless. */
  replace(res: Response): void {
    this.#set(res, newRandomId())
  }

  /** @param promptLogin false if the authorization server has ended its session, too */
  markSignedOut(req: Request, res: Response, promptLogin: boolean): BrowserCookie {
    return this.#set(res, (this.read(req)?.id ?? newRandomId()) + (promptLogin ? PROMPT_LOGIN_MARK : ''))
  }

  #set(res: Response, value: string): BrowserCookie {
    const maxAge = TRANSACTION_SECONDS * 1000
    res.cookie(this.#name, value, { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#https, maxAge })
    return parse(value)
  }
}
