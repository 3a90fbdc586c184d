// What a sign-out does to the browser's cookies.
import { randomBytes } from 'node:crypto'
import type { Response } from 'express'

type Parts = { cookieName: string; publicUrl: string }

/** A __Host- cookie is taken back, and set, only by one that follows its rules. */
const rules = ({ publicUrl }: Parts) => ({ path: '/', secure: publicUrl.startsWith('https:') })

export const forgetCookie = (res: Response, parts: Parts) => res.clearCookie(parts.cookieName, rules(parts))

const HIDING_MS = 3_000

/**
 * Chromium keeps a page in memory when it is left, no-store or not, and shows it to those who press back, unless a cookie
 * of the site has changed meanwhile. The session's own has to stay for what comes next.
 */
export const hidePages = (res: Response, parts: Parts) =>
  res.cookie(`${parts.cookieName}-left`, randomBytes(6).toString('base64url'), {
    ...rules(parts),
    httpOnly: true,
    sameSite: 'lax',
    maxAge: HIDING_MS,
  })
