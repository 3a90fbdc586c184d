// The cookie that ties a sign-in to the browser that began it (RFC 9700 4.7): random, apart from the session's, and new
// after each sign-in. A browser that was signed out has a mark in it, so that its next sign-in asks who is there.
import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { TRANSACTION_SECONDS } from './login-transaction.ts'

export type BrowserCookie = {
  /** The whole cookie, which sign-ins are bound to. Signing out changes it, so that none that began before can end. */
  value: string
  /** The random part: what a sign-out under way is kept under. */
  id: string
  /** It was signed out: the next sign-in has to ask for the person. */
  promptLogin: boolean
}

export type BrowserCookies = {
  read(req: Request): BrowserCookie | undefined
  /** The browser with a cookie for another day; a new one where it has none. */
  extend(req: Request, res: Response): BrowserCookie
  /** Someone has signed in: a new cookie, so that one that a stranger has planted is good for nothing afterwards. */
  replace(res: Response): void
  /** It was signed out here. @param promptLogin false: the authorization server has signed it out too */
  markSignedOut(req: Request, res: Response, promptLogin: boolean): BrowserCookie
}

const PROMPT_LOGIN_MARK = '.ask'

const browserOf = (cookie: string): BrowserCookie => ({
  value: cookie,
  id: cookie.replace(PROMPT_LOGIN_MARK, ''),
  promptLogin: cookie.endsWith(PROMPT_LOGIN_MARK),
})

/** Without `-`, two of which firewalls refuse. */
const newCookie = () => randomBytes(16).toString('hex')

export function createBrowserCookies(https: boolean): BrowserCookies {
  const name = https ? '__Host-onramp-browser' : 'onramp-browser'
  const found = new RegExp(`(?:^|;[ \\t]*)${name}=([\\w-]{22,32}(?:\\${PROMPT_LOGIN_MARK})?)(?:;|$)`)

  const of = ({ headers }: Request): BrowserCookie | undefined => {
    const [, cookie] = found.exec(headers.cookie ?? '') ?? []
    return cookie === undefined ? undefined : browserOf(cookie)
  }

  function set(res: Response, cookie: string): BrowserCookie {
    const maxAge = TRANSACTION_SECONDS * 1000
    res.cookie(name, cookie, { path: '/', httpOnly: true, sameSite: 'lax', secure: https, maxAge })
    return browserOf(cookie)
  }

  return {
    read: of,
    extend: (req, res) => set(res, of(req)?.value ?? newCookie()),
    replace: (res) => void set(res, newCookie()),
    markSignedOut: (req, res, promptLogin) =>
      set(res, (of(req)?.id ?? newCookie()) + (promptLogin ? PROMPT_LOGIN_MARK : '')),
  }
}
