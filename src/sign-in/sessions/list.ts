// A person's sign-ins as one list, and what may happen to it. Pure. What surprises: what is being ended stays on the
// list, marked, until it really is; a process that dies in between leaves the rest for the next one to see.

export type SignedInSession = {
  /** The hash of the session id. */
  name: string
  /** The authorization server's own session (OpenID Connect Back-Channel Logout 1.0). */
  sid?: string | undefined
  /** Milliseconds since 1970. */
  signedInAt: number
  /** "Firefox on Linux", for people to recognize it by. */
  device: string
}

type Listed = SignedInSession & { ending?: true }

/** The authorization server ended `sid`, or everything of the person; a sign-in that began before `at` is part of it. */
export type Ended = { at: number; sid?: string | undefined }

export type SignInList = { sessions: Listed[]; ended: Ended[] }

export const emptyList: SignInList = { sessions: [], ended: [] }

const MAX_SESSIONS = 100
/** A sign-in that takes longer than this is over anyway. */
const ENDED_COUNTS_MS = 3_600_000
const MAX_ENDED = 50

export const isUsable = ({ ending }: Listed): boolean => ending === undefined

/** @param now milliseconds since 1970 */
export const living = (list: SignInList, now: number, maxSeconds: number): SignInList => ({
  sessions: list.sessions.filter(({ signedInAt }) => now - signedInAt < maxSeconds * 1000),
  ended: list.ended.filter(({ at }) => now - at < ENDED_COUNTS_MS).slice(-MAX_ENDED),
})

/**
 * Does a logout of this sid, or of the person everywhere, end a sign-in? A server may name a sid at logout and have left it
 * out of the id_token: then it may be any sign-in of the person.
 */
export const endedBy =
  (named: string | undefined) =>
  ({ sid }: SignedInSession): boolean =>
    named === undefined || sid === undefined || named === sid

/** Has the authorization server ended this sign-in? @param startedAt when the browser was sent away, as below */
export const isOver = ({ ended }: SignInList, session: SignedInSession, startedAt: number): boolean =>
  ended.some(({ at, sid }) => startedAt <= at && endedBy(sid)(session))

/** The earliest beyond `MAX_SESSIONS` marked. */
function limited(sessions: Listed[]): Listed[] {
  let surplus = sessions.filter(isUsable).length - MAX_SESSIONS
  return sessions.map((one) => (isUsable(one) && surplus-- > 0 ? { ...one, ending: true } : one))
}

/**
 * The list with one more, and the earliest beyond `MAX_SESSIONS` marked.
 * @param startedAt milliseconds since 1970, when the browser was sent away to sign in
 * @returns undefined when the authorization server has ended this sign-in since
 */
export function withSession(
  list: SignInList,
  session: SignedInSession,
  startedAt: number,
): SignInList | undefined {
  if (isOver(list, session, startedAt)) return undefined
  const others = list.sessions.filter(({ name }) => name !== session.name)
  return { ...list, sessions: limited([...others, session]) }
}

/** The list with those marked that match; `ended` is kept so that no sign-in under way comes after it. */
export function withEnding(
  list: SignInList,
  matches: (session: SignedInSession) => boolean,
  ended: Ended | undefined,
): SignInList {
  return {
    sessions: list.sessions.map((one) => (isUsable(one) && matches(one) ? { ...one, ending: true } : one)),
    ended: ended === undefined ? list.ended : [...list.ended, ended].slice(-MAX_ENDED),
  }
}

export const without = (list: SignInList, names: ReadonlySet<string>): SignInList => ({
  ...list,
  sessions: list.sessions.filter(({ name }) => !names.has(name)),
})

/** Both lists as one: each session once, the earliest first, and the earliest beyond `MAX_SESSIONS` marked. */
export function united(list: SignInList, other: SignInList): SignInList {
  const known = new Set(list.sessions.map(({ name }) => name))
  const sessions = [...other.sessions.filter(({ name }) => !known.has(name)), ...list.sessions]
  return {
    sessions: limited(sessions.sort((one, next) => one.signedInAt - next.signedInAt)),
    ended: [...other.ended, ...list.ended].slice(-MAX_ENDED),
  }
}

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
