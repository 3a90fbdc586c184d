// The type of a setting, and schemas of common values, each with the sentence that corrects a wrong one.
import { z } from 'zod'
import { isSafeUrl } from '../http/loopback.ts'

export type Setting = {
  name: string
  default?: string
  required?: true
  /** The value may also be in the file that NAME_FILE names, like that of a setting with `file`. */
  secret?: true
  file?: true
  /** Quotes are part of the syntax. */
  quotes?: true
  /** The name in lower case takes precedence, as in curl. */
  lowerCase?: true
  /** At most 120 characters, for a table. */
  meaning: string
  details?: string
  schema: z.ZodType
}

function urlFault(text: string, mayHaveQuery: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The URL standard also allows other characters in a name, such as the star of a pattern.
  const isNamed = url !== undefined && /^(\[.+\]|[\w-]+(\.[\w-]+)*\.?)$/.test(url.hostname)
  if (!isNamed || !/^https?:$/.test(url.protocol))
    return 'is not an address: write it like https://name.example'
  if (!isSafeUrl(text)) return 'must start with https:// (plain http is accepted for loopback addresses only)'
  if (url.username || url.password) return 'must not contain a username or password'
  if ((url.search && !mayHaveQuery) || url.hash)
    return `must not contain a ${mayHaveQuery ? '' : 'query or a '}fragment`
  return undefined
}

export const webUrl = ({ mayHaveQuery = false } = {}) =>
  z.string().superRefine((text, context) => {
    const fault = urlFault(text, mayHaveQuery)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, continue: false })
  })

/** The characters of a token (RFC 6750 2.1). */
export const bearerToken = z
  .string()
  .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'has characters that are invalid in a bearer token')

export const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, { error: `must be ${names.map((name) => `\`${name}\``).join(' or ')}` })

export const text = z.string()
