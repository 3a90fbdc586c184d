// What a setting is, and the kinds of values that settings have, each with the words that correct a wrong one.
import { z } from 'zod'
import { isSafe } from '../http/loopback.ts'

export type Setting = {
  name: string
  /** What is used when the variable is absent; undefined: nothing. */
  default?: string
  required?: true
  /** A secret may also come as NAME_FILE, a path to a file that holds it. */
  secret?: true
  /** It is no secret, and may come as NAME_FILE too. */
  file?: true
  /** Quotes in it mean something. */
  quotes?: true
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

export const webAddress = (mayHaveQuery: boolean) =>
  z.string().superRefine((text, context) => {
    const fault = addressFault(text, mayHaveQuery)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, continue: false })
  })

export const address = webAddress(false)

/** RFC 6750 2.1: it goes out, or comes in, behind "Bearer". */
export const bearerToken = z
  .string()
  .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'has characters that no bearer token may have')

export const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, { error: `must be ${names.map((name) => `\`${name}\``).join(' or ')}` })

export const text = z.string()
