// A person's sign-ins as one list. Pure. What is on it may be over already (it was idle for too long, or
// signed out); whether a session is there is the store's to say.

export type ListedSession = {
  /** The hash of the session id. */
  name: string
  /** The authorization server's own session (OpenID Connect Back-Channel Logout 1.0). */
  sid?: string | undefined
  /** "Firefox on Linux", for people to recognize it by. */
  device: string
  /** Milliseconds since 1970, when the person signed in. */
  time: number
}

/** The authorization server ended `sid`, or everything of the person; a sign-in that began before `at` is part of it. */
export type Ended = { at: number; sid?: string | undefined }

export type SessionList = { sessions: ListedSession[]; ended: Ended[] }

export const MAX_SESSIONS = 100
/** A code is good for ten minutes (RFC 6749 4.1.2), so a sign-in that the authorization server ended earlier can't end well. */
const ENDED_COUNTS_MS = 3_600_000
const MAX_ENDED = 50

/** @param now milliseconds since 1970 */
export const living = (list: SessionList, now: number, maxSeconds: number): SessionList => ({
  sessions: list.sessions.filter(({ time }) => now - time < maxSeconds * 1000),
  ended: list.ended.filter(({ at }) => now - at < ENDED_COUNTS_MS).slice(-MAX_ENDED),
})

/**
 * Does a logout of this sid, or of the person everywhere, end a sign-in? A server may name a sid at logout and have left it
 * out of the id_token: then it may be any sign-in of the person.
 */
export const isNamed = (named: string | undefined, sid: string | undefined): boolean =>
  named === undefined || sid === undefined || named === sid

/** Has the authorization server ended this sign-in? @param startedAt when the browser was sent away to sign in */
export const isOver = ({ ended }: SessionList, sid: string | undefined, startedAt: number): boolean =>
  ended.some((end) => startedAt <= end.at && isNamed(end.sid, sid))

const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const named = (table: [RegExp, string][], text: string) => table.find(([pattern]) => pattern.test(text))?.[1]

/** What a User-Agent says, in words that people recognize: "Firefox on Linux", "Chrome", or an empty text when nothing is recognized. */
export function deviceOf(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 500)
  const [browser, system] = [named(BROWSERS, text), named(SYSTEMS, text)]
  return [browser, system].filter((part) => part !== undefined).join(' on ')
}
