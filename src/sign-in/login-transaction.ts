// The cookie that ties a sign-in to the browser that began it (RFC 9700 4.7): random, apart from the session's, and new
// after each sign-in. A browser that was signed out has a mark in it, so that its next sign-in asks who is there.
import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { STATE_LIFE_SECONDS } from './state.ts'

export type Browser = {
  /** The whole cookie, which sign-ins are bound to. Signing out changes it, so that none that began before can end. */
  cookie: string
  /** The random part: what a sign-out under way is kept under. */
  id: string
  /** It was signed out: the next sign-in has to ask for the person. */
  mustAsk: boolean
}

export type Browsers = {
  of(req: Request): Browser | undefined
  /** The browser with a cookie for another day; a new one where it has none. */
  keep(req: Request, res: Response): Browser
  /** Someone has signed in: a new cookie, so that one that a stranger has planted is good for nothing afterwards. */
  renew(res: Response): void
  /** It was signed out here. @param mustAsk false: the authorization server has signed it out too */
  signedOut(req: Request, res: Response, mustAsk: boolean): Browser
}

const MARK = '.ask'

const browserOf = (cookie: string): Browser => ({
  cookie,
  id: cookie.replace(MARK, ''),
  mustAsk: cookie.endsWith(MARK),
})

/** Without `-`, two of which firewalls refuse. */
const newCookie = () => randomBytes(16).toString('hex')

export function createBrowsers(https: boolean): Browsers {
  const name = https ? '__Host-onramp-browser' : 'onramp-browser'
  const found = new RegExp(`(?:^|;[ \\t]*)${name}=([\\w-]{22,32}(?:\\${MARK})?)(?:;|$)`)

  const of = ({ headers }: Request): Browser | undefined => {
    const [, cookie] = found.exec(headers.cookie ?? '') ?? []
    return cookie === undefined ? undefined : browserOf(cookie)
  }

  function set(res: Response, cookie: string): Browser {
    const maxAge = STATE_LIFE_SECONDS * 1000
    res.cookie(name, cookie, { path: '/', httpOnly: true, sameSite: 'lax', secure: https, maxAge })
    return browserOf(cookie)
  }

  return {
    of,
    keep: (req, res) => set(res, of(req)?.cookie ?? newCookie()),
    renew: (res) => void set(res, newCookie()),
    signedOut: (req, res, mustAsk) => set(res, (of(req)?.id ?? newCookie()) + (mustAsk ? MARK : '')),
  }
}
