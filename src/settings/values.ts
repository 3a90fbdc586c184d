// What a setting is, and the kinds of values that settings have, each with the words that correct a wrong one.
import { isIP } from 'node:net'
import { z } from 'zod'
import { isSafe } from '../loopback.ts'

export type Setting = {
  name: string
  /** What is used when the variable is absent; undefined: nothing. */
  default?: string
  required?: true
  /** A secret may also come as NAME_FILE, a path to a file that holds it. */
  secret?: true
  /** It may also be written in lower case, which then counts, as for curl and most other programs. */
  lowerCase?: true
  meaning: string
  schema: z.ZodType
}

/** A part of the table, by name. */
export type Definitions = Record<string, Omit<Setting, 'name'>>

function addressFault(text: string, mayHaveQuery: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return 'is not an address: write it like https://name.example'
  if (!isSafe(url)) return 'must start with https:// (plain http is accepted for loopback addresses only)'
  if (url.username || url.password) return 'must not carry a user name or password'
  if ((url.search && !mayHaveQuery) || url.hash)
    return `must not carry a ${mayHaveQuery ? '' : 'query or a '}fragment`
  return undefined
}

const webAddress = (mayHaveQuery: boolean) =>
  z.string().superRefine((text, context) => {
    const fault = addressFault(text, mayHaveQuery)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, continue: false })
  })

export const address = webAddress(false)

/** Some receivers tell their senders apart by a token in the query. */
export const addressWithQuery = webAddress(true)

export const origin = address
  .refine((text) => new URL(text).pathname === '/', {
    error: ({ input }) => `must be an origin without a path, like ${new URL(String(input)).origin}`,
  })
  .transform((text) => new URL(text).origin)

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .refine((n) => n >= least && n <= most, `must be between ${least} and ${most}`)

export const list = <T>(item: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(item))

/** Separated by commas alone: names of groups have spaces. */
export const names = z.string().transform((text) => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  ),
])

/** RFC 6750 2.1: it goes out, or comes in, behind "Bearer". */
export const bearerToken = z
  .string()
  .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'has characters that no bearer token may have')

export const sessionSecrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z
      .array(z.string().min(32, 'needs 32 characters or more: make one with `openssl rand -base64 48`'))
      .min(1),
  )

const isAddressRange = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = isIP(address) === 4 ? 32 : 128
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  )
}

export const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, { error: `must be ${names.map((name) => `\`${name}\``).join(' or ')}` })

export const text = z.string()

export const addressRange = text.refine(
  isAddressRange,
  'must hold addresses like 10.0.0.1 or ranges like 10.0.0.0/8',
)

const MAX_PREFIX_CHARACTERS = 64

/** A cluster places keys by what is in braces; `*`, `?`, brackets and backslashes are patterns where rights are given. */
export const keyPrefix = text
  .regex(/^[\x21-\x7e]*$/, 'must be plain characters without spaces, like onramp-staging:')
  .regex(
    /^[^*?[\]{}\\^"']*$/,
    'must not hold quotes or any of * ? [ ] { } ^ \\: Redis reads them as patterns, or as where a cluster keeps the key',
  )
  .max(MAX_PREFIX_CHARACTERS, `must have ${MAX_PREFIX_CHARACTERS} characters or fewer`)

/** `name:port`, or an IPv6 address in brackets with a port. */
export const hostAndPort = text
  .regex(/^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/, 'must hold entries like name:26379')
  .transform((entry) => {
    const colon = entry.lastIndexOf(':')
    return { host: entry.slice(0, colon).replaceAll(/[[\]]/g, ''), port: Number(entry.slice(colon + 1)) }
  })

const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/

/** As it is written: invites/address.ts compares. */
export const emailAddress = text.regex(PLAIN_ADDRESS, 'must hold email addresses like ada@acme.example')

const SENDER = /^(?:([^<>"\p{Cc}]*?)\s*<([^<>]+)>|[^<>]*)$/u
const senderIn = (value: string) => {
  const [, name = '', address = value] = SENDER.exec(value) ?? []
  return { name: name.trim(), address }
}

/** `Name <address>` or an address alone; a line break would start another header of the mail. */
export const sender = text
  .refine(
    (value) => PLAIN_ADDRESS.test(senderIn(value).address),
    'must be like Search team <search@acme.example>',
  )
  .transform(senderIn)

/** @param url one that cannot be read has no faulty user name */
function canDecode(url: string): boolean {
  try {
    const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' }
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}

/** An address whose user name and password can be decoded (RFC 3986 2.1): else nothing could connect, long after start. */
export const addressWithUser = text.refine(
  canDecode,
  'has a user name or password with a % that begins no percent-encoding: write % as %25',
)

const isMailServer = (url: URL) => /^smtps?:$/.test(url.protocol) && url.hostname !== ''

export const mailServer = addressWithUser.refine(
  (url) => URL.canParse(url) && isMailServer(new URL(url)),
  'must be like smtps://name:password@mail.acme.example',
)

/** Plain http to a forward proxy is usual: what goes through is encrypted from end to end. */
export const proxy = addressWithUser.refine(
  (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).pathname === '/',
  'must be like http://proxy.acme.example:3128',
)

const HOST_AND_PORT = /^(\*|(\*?\.)?[\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i

export const noProxyEntry = text.refine(
  (entry) => HOST_AND_PORT.test(entry) || isAddressRange(entry),
  'must hold hosts like intranet.acme.example or *.acme.example (a star only in front), addresses, or ranges like 10.0.0.0/8',
)

/** RFC 9110 5.1, and what the service puts behind it begins with a hyphen. */
export const headerPrefix = text.regex(
  /^[a-z\d]+(-[a-z\d]+){0,5}$/i,
  'must be the beginning of a header name without the last hyphen, like X-Service',
)
