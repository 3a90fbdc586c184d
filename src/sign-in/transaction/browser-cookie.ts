// The cookie that binds a login transaction to the browser that began it (RFC 9700 4.7): random, separate from the session
// cookie, and replaced after each sign-in. A sign-out leaves a mark in it: the next sign-in sends prompt=login.
import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { TRANSACTION_SECONDS } from './login-transaction.ts'

export type BrowserCookie = {
  /** What transactions are bound to. A sign-out changes it, so a callback of an earlier transaction is refused. */
  value: string
  /** The random part, which stays the same: a pending sign-out is stored under it. */
  id: string
  promptLogin: boolean
}

const PROMPT_LOGIN_MARK = '.ask'

function parse(value: string): BrowserCookie {
  const [id = ''] = value.split('.')
  return { value, id, promptLogin: id !== value }
}

/** Hex, because firewalls refuse `--`. */
const newValue = () => randomBytes(16).toString('hex')

export class BrowserCookies {
  readonly #https: boolean
  readonly #name: string
  readonly #pattern: RegExp

  constructor(https: boolean) {
    this.#https = https
    this.#name = https ? '__Host-onramp-browser' : 'onramp-browser'
    // Only spaces and tabs before the name: browsers let sibling hosts set cookies that hide it behind other whitespace.
    this.#pattern = new RegExp(
      `(?:^|;[ \\t]*)${this.#name}=([\\w-]{22,32}(?:\\${PROMPT_LOGIN_MARK})?)(?:;|$)`,
    )
  }

  read({ headers }: Request): BrowserCookie | undefined {
    const value = this.#pattern.exec(headers.cookie ?? '')?.[1]
    return value === undefined ? undefined : parse(value)
  }

  /** Keeps the cookie for another day, or sets the first one. */
  extend(req: Request, res: Response): BrowserCookie {
    return this.#set(res, this.read(req)?.value ?? newValue())
  }

  /** After a sign-in: a cookie that an attacker planted before is worthless from now on. */
  replace(res: Response): void {
    this.#set(res, newValue())
  }

  /** @param promptLogin false if the authorization server has ended its session too */
  markSignedOut(req: Request, res: Response, promptLogin: boolean): BrowserCookie {
    return this.#set(res, (this.read(req)?.id ?? newValue()) + (promptLogin ? PROMPT_LOGIN_MARK : ''))
  }

  #set(res: Response, value: string): BrowserCookie {
    const maxAge = TRANSACTION_SECONDS * 1000
    res.cookie(this.#name, value, { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#https, maxAge })
    return parse(value)
  }
}
