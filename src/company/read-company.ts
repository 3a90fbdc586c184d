// Reads the company file (COMPANY_FILE). All faults are reported at once, with their lines.
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { nearestWord } from '@onramp/terminal/arguments'
import { printable } from '@onramp/terminal/printable'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml'
import type { z } from 'zod'
import { SettingsError } from '../settings/settings.ts'
import type { StaticAsset } from './static-asset.ts'
import { resolveCompany, neutralCompany, type Company } from './company.ts'
import { readLogo } from './logos.ts'
import { companySchema, type SupportedTexts } from './schema.ts'

const MAX_FILE_KB = 1024
const MAX_KEY_CHARACTERS = 60

/** Either a company or faults like `company.yaml:12:5 color.light: what, and how to fix it`. */
type CompanyRead = { company: Company | undefined; faults: readonly string[] }

type Path = readonly PropertyKey[]

/** `offset` is in the text, `path` in the data. */
type Fault = { offset: number; path: Path; message: string }

const EXPECTED: Partial<Record<string, string>> = {
  string: 'must be text',
  boolean: 'must be true or false',
  number: 'must be a whole number, like 1',
  int: 'must be a whole number, like 1',
  array: 'must be a list, like [one, two]',
  object: 'must hold keys with values',
  record: 'must hold keys with values',
}

/** Messages of one line for wrong types and unknown keys. The schema has all others. */
const schemaErrorMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') {
    const keys = Object.keys((issue.inst as z.core.$ZodObject)._zod.def.shape)
    const hintAt = (meant: string | undefined) =>
      meant === undefined ? `known are ${keys.join(', ')}` : `did you mean ${meant}?`
    return issue.keys
      .map((key) => `is not a key of company files: ${hintAt(nearestWord(key, keys))}`)
      .join('\n')
  }
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is missing: add it'
  if (issue.input === null)
    return issue.path?.[0] === 'color'
      ? 'is empty: put the color in quotes, because # begins a comment in YAML'
      : 'is empty: give it a value or remove the line'
  const isPlain = ['number', 'boolean'].includes(typeof issue.input)
  return `${EXPECTED[issue.expected] ?? 'has the wrong kind of value'}${issue.expected === 'string' && isPlain ? ': put it in quotes' : ''}`
}

/** Faults of an issue; of a union, only those of the form used (one text, or one for each language). */
function faultsIn(issue: z.core.$ZodIssue, around: Path): { path: Path; message: string }[] {
  const path = [...around, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.message
      .split('\n')
      .map((message, index) => ({ path: [...path, issue.keys[index] ?? ''], message }))
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }]
  const chosen =
    issue.code === 'invalid_union'
      ? issue.errors.find((all) => all.every((item) => item.code !== 'invalid_type' || item.path.length > 0))
      : undefined
  return chosen?.flatMap((item) => faultsIn(item, path)) ?? [{ path, message: issue.message }]
}

/** The offset of a key or list entry; if it is missing, of the nearest parent. */
function offsetOf(document: Document, path: Path): number {
  const last = path.at(-1)
  if (last === undefined) return 0
  const around = document.getIn(path.slice(0, -1), true)
  const node = isMap(around)
    ? around.items.findLast(({ key }) => String(key) === String(last))?.key
    : isSeq(around) && around.items[Number(last)]
  return (isNode(node) && node.range?.[0]) || offsetOf(document, path.slice(0, -1))
}

const SYNTAX: Partial<Record<string, string>> = {
  DUPLICATE_KEY: 'is repeated: keep one of them',
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  MULTIPLE_DOCS: 'begins a second document (---): a company file has one',
}

/** The first error in each place, because it causes the others. */
function syntaxFaults(document: Document, text: string): Fault[] {
  const troubles = [...document.errors, ...document.warnings]
  const first = new Map(troubles.toReversed().map((trouble) => [trouble.pos[0], trouble]))
  const faults = [...first.values()].map(({ code, pos: [offset], message }) => ({
    offset,
    path: code === 'DUPLICATE_KEY' ? [/^[^:\s]+/.exec(text.slice(offset))?.[0] ?? ''] : [],
    message: SYNTAX[code] ?? `is not YAML (${message.split('\n')[0]}): correct what is here or above`,
  }))
  const add = (node: unknown, message: string) =>
    void faults.push({ offset: (isNode(node) && node.range?.[0]) || 0, path: [], message })
  visit(document, {
    Pair(_key, { key }) {
      if (!isScalar(key)) add(key, 'has a key that is not plain text: write it like name: Acme')
    },
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined)
        add(alias, `*${alias.source} refers to nothing: put &${alias.source} before a value above`)
    },
  })
  return faults
}

function readText(file: string): { text: string } | { fault: string } {
  try {
    const { size } = statSync(file)
    if (size > MAX_FILE_KB * 1024)
      return { fault: `COMPANY_FILE names a file of more than ${MAX_FILE_KB} KB: it takes a YAML file` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    if (reason === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return { fault: 'COMPANY_FILE names a file that is not UTF-8: save it as UTF-8' }
    return {
      fault: `COMPANY_FILE names a file that cannot be read (${reason}): it takes the path of a YAML file`,
    }
  }
}

function dataOf(document: Document): { data: unknown } | { fault: string } {
  try {
    return { data: document.toJS({ maxAliasCount: 50 }) ?? {} }
  } catch {
    return { fault: 'uses its aliases (*name) too often: write the values out' }
  }
}

/** @param file the path of the company file, whose pictures are in the same folder */
export function readCompany(file: string, supported: SupportedTexts = {}): CompanyRead {
  const source = readText(file)
  if ('fault' in source) return { company: undefined, faults: [source.fault] }
  const lines = new LineCounter()
  // Tags (!!binary, !!set) create values that no key accepts.
  const document = parseDocument(source.text, {
    lineCounter: lines,
    prettyErrors: false,
    resolveKnownTags: false,
    merge: true,
  })
  const refuse = (faults: readonly Fault[]): CompanyRead => {
    const sentenceOf = ({ offset, path, message }: Fault) => {
      const { line, col } = lines.linePos(offset)
      const names = path.map((key) => String(key).slice(0, MAX_KEY_CHARACTERS)).join('.')
      return printable(`${basename(file)}:${line || 1}:${col || 1} ${names && `${names}: `}${message}`)
    }
    const sortedFaults = faults.toSorted((one, other) => one.offset - other.offset)
    return { company: undefined, faults: sortedFaults.map(sentenceOf) }
  }

  // Despite a duplicate key, the rest is readable.
  const syntax = syntaxFaults(document, source.text)
  if (syntax.some(({ message }) => message !== SYNTAX['DUPLICATE_KEY'])) return refuse(syntax)
  const content = dataOf(document)
  if ('fault' in content) return refuse([{ offset: 0, path: [], message: content.fault }])
  const assets = new Map<string, StaticAsset>()
  const pictureFault = (name: string) => {
    const picture = readLogo(dirname(file), name)
    if ('fault' in picture) return picture.fault
    assets.set(name, picture.logo)
    return undefined
  }
  const parsed = companySchema({ ...supported, pictureFault }).safeParse(content.data, {
    error: schemaErrorMessage,
  })
  const shape = parsed.error?.issues.flatMap((issue) => faultsIn(issue, [])) ?? []
  const faults = [...syntax, ...shape.map((fault) => ({ ...fault, offset: offsetOf(document, fault.path) }))]
  if (!parsed.success || faults.length > 0) return refuse(faults)
  return { company: resolveCompany(parsed.data, assets), faults: [] }
}

/** @param file COMPANY_FILE @throws {SettingsError} naming every fault of the file */
export function loadCompany(file: string | undefined, catalogue: SupportedTexts = {}): Company {
  if (file === undefined) return neutralCompany
  const { company, faults } = readCompany(file, catalogue)
  if (company !== undefined) return company
  const named = faults.map((fault) => fault.replace(/^(?!COMPANY_FILE )/, 'COMPANY_FILE has a fault: '))
  throw new SettingsError(faults.length > 1 ? faults : named, 'faults in COMPANY_FILE')
}
