// What the service said with a refusal, for the log: its words without markup, bounded, and without anything that could be
// a secret or a person's address. Pure. The contract shows no shape of an error's body (section 7).
import { jsonIn } from './body.ts'

const MAX_WORDS_CHARACTERS = 200
/** More than that is not looked at: an error that explains itself does so at its start. */
const MAX_READ_CHARACTERS = 4_000
const MAX_DEPTH = 6

/** Members in which services of this kind explain an error; a code or an id explains nothing. */
const EXPLAINS = /^(message|error|errors|error_?description|error_?message|detail|details|title|reason|msg)$/i

/** Members that name the part of the request that is wrong. */
const NAMES = /^(field|param|parameter|property|path|loc|location|final_?redirect_?ur[li])$/i

/**
 * @param text the body of a refusal: plain text, HTML or JSON
 * @param secrets what was sent with the call and must not come back in a log
 * @returns at most 200 characters in one line; empty where it said nothing that can be told
 */
export function saidIn(text: string, secrets: readonly string[] = []): string {
  let words = wordsIn(text)
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…')
  const plain = withoutSecrets(words)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > MAX_WORDS_CHARACTERS
    ? `${plain.slice(0, MAX_WORDS_CHARACTERS).toWellFormed()}…`
    : plain.toWellFormed()
}

/** Does a refusal speak of the address to come back to (contract 4.1)? An address that it quotes does not count. */
export const speaksOfRedirect = (text: string): boolean =>
  /(?:redirect|return|callback)(?:ion)?[\s_-]?(?:to[\s_-]?)?(?:ur[li]|address|destination|target|domain|host)/i.test(
    wordsIn(text).replaceAll(/\b[a-z][a-z\d+.-]{0,20}:\/\/\S+|\?\S+/gi, ' '),
  )

function wordsIn(text: string): string {
  const json = jsonIn(text)
  if (json !== undefined) return explanations(json, 0).join('; ').slice(0, MAX_READ_CHARACTERS)
  // JSON that was cut: which of its members explain something can no longer be told.
  if (/^\s*[{[]/.test(text)) return ''
  return text
    .slice(0, MAX_READ_CHARACTERS)
    .replaceAll(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function explanations(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((element) => explanations(element, depth + 1))
  const members = Object.entries(value as Record<string, unknown>)
  const telling = members.filter(([name]) => EXPLAINS.test(name))
  const found = telling.flatMap(([, member]) => explanations(member, depth + 1))
  // A validator may name what is wrong as a member: {"final_redirect_url": ["not allowed"]}.
  const named = members.flatMap(([name, member]) =>
    NAMES.test(name) && isWords(member) ? [`${name}: ${[member].flat().join(', ')}`] : [],
  )
  const nested = members.flatMap(([name, member]) =>
    typeof member === 'object' && !EXPLAINS.test(name) && !NAMES.test(name)
      ? explanations(member, depth + 1)
      : [],
  )
  return [...found, ...named, ...nested]
}

const isWords = (value: unknown): value is string | string[] =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === 'string'))

/** Addresses of people. */
export const withoutAddresses = (words: string): string =>
  words.replaceAll(/[^\s@'"<>(),;:]+@[^\s@'"<>(),;:]+/g, '…')

/** Queries, addresses of people, and whatever is long and unbroken; words of a language are shorter. */
const withoutSecrets = (words: string): string =>
  withoutAddresses(words.replaceAll(/\?[^\s'"<>]+/g, '?…'))
    .replaceAll(
      /\b(bearer|basic|token|secret|password|code|cookie|state)(["']?\s*[:=]\s*["']?|\s+)[^\s'",;]*\d[^\s'",;]*/gi,
      '$1 …',
    )
    .replaceAll(/[\w.~+/=%-]{32,}/g, '…')
