// Reads the company file (COMPANY_FILE). Every fault comes out at once, with its line; one fault, and there is no company.
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { SettingsError } from '../settings/settings.ts'
import type { Asset } from './asset.ts'
import { companyOf, neutralCompany, type Company } from './company.ts'
import { pathInWords, readDocument, type Fault, type Path, type ReadDocument } from './document.ts'
import { readLogo } from './logos.ts'
import { textFaults, type KnownTexts } from './placeholders.ts'
import { companySchema } from './schema.ts'
import { shapeFaults, type ShapeFault } from './shape-faults.ts'
import { canonicalLanguage, languageTag } from './values.ts'

const MAX_FILE_KB = 1024

/** What onramp has to offer. What is absent is not checked. */
export type Catalogue = {
  /** Texts that a company may replace. */
  knownTexts?: KnownTexts | undefined
  /** Languages that the pages have. */
  knownLanguages?: readonly string[] | undefined
}

/** `company` is undefined exactly where there are faults: `company.yaml:12:5 color.light: what, and how to fix it`. */
export type CompanyRead = { company: Company | undefined; faults: readonly string[] }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const entriesOf = (value: unknown) => (isRecord(value) ? Object.entries(value) : [])

/** Where pictures are named, whatever else is wrong with the file. */
function picturesIn(data: unknown): { path: Path; name: string }[] {
  const { logo, datasources } = isRecord(data) ? data : {}
  const named = [
    ...['light', 'dark', 'icon'].map((key) => ({
      path: ['logo', key],
      name: isRecord(logo) ? logo[key] : undefined,
    })),
    ...entriesOf(datasources).map(([key, one]) => ({
      path: ['datasources', key, 'logo'],
      name: isRecord(one) ? one['logo'] : undefined,
    })),
  ]
  return named.filter(
    (one): one is { path: string[]; name: string } => Boolean(one.name) && typeof one.name === 'string',
  )
}

function readPictures(folder: string, data: unknown): { assets: Map<string, Asset>; faults: ShapeFault[] } {
  const assets = new Map<string, Asset>()
  const faults: ShapeFault[] = []
  for (const { path, name } of picturesIn(data)) {
    const read = readLogo(folder, name)
    if ('logo' in read) assets.set(name, read.logo)
    else faults.push({ path, at: 'value', says: read.fault })
  }
  return { assets, faults }
}

function textsFaults(data: unknown, knownTexts: KnownTexts): ShapeFault[] {
  const saysOf = (key: string, text: unknown) =>
    typeof text === 'string' && text !== '' ? textFaults(key, text, knownTexts) : []
  const { texts } = isRecord(data) ? data : {}
  return entriesOf(texts).flatMap(([lang, own]) =>
    entriesOf(own).flatMap(([key, text]) => {
      const path = ['texts', lang, key]
      return saysOf(key, text).map((says): ShapeFault => ({ path, at: 'key', says }))
    }),
  )
}

/** Here and not in the schema, because zod doesn't compare the entries of a list in which one is faulty. */
function languagesFaults(data: unknown, known: readonly string[] | undefined): ShapeFault[] {
  const { languages } = isRecord(data) ? data : {}
  if (!Array.isArray(languages)) return []
  return languages.flatMap((tag: unknown, index): ShapeFault[] => {
    const { data: valid } = languageTag.safeParse(tag)
    const lang = valid === undefined ? undefined : (canonicalLanguage(valid) ?? valid)
    const at = { path: ['languages', index], at: 'value' } as const
    if (lang !== undefined && known?.includes(lang) === false)
      return [{ ...at, says: `is not a language of the pages: choose from ${known.join(', ')}` }]
    return languages.indexOf(tag) < index ? [{ ...at, says: 'is there twice: remove one' }] : []
  })
}

/** In the order of the file. What is below a place that cannot be read may be something else than it seems. */
function inOrder(document: ReadDocument, faults: readonly ShapeFault[]): Fault[] {
  const { placeOf, brokenAt = Infinity } = document
  const placed = faults
    .map(({ path, at, says, isAbsence }) => ({
      ...placeOf(path, at),
      path: pathInWords(path),
      says,
      isAbsence,
    }))
    .filter(({ line, isAbsence }) => line < brokenAt && !(isAbsence && brokenAt < Infinity))
  return [...document.faults, ...placed].sort((a, b) => a.line - b.line || a.column - b.column)
}

function textOf(file: string): { text: string } | { fault: string } {
  try {
    const { size } = statSync(file)
    if (size > MAX_FILE_KB * 1024)
      return { fault: `COMPANY_FILE names a file of more than ${MAX_FILE_KB} KB: it takes a YAML file` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return {
      fault: `COMPANY_FILE names a file that cannot be read (${reason}): it takes the path of a YAML file`,
    }
  }
}

/** One line each, whatever the keys and names of the file hold. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** @param file the path of the company file; pictures are looked for in its folder */
export function readCompany(file: string, catalogue: Catalogue = {}): CompanyRead {
  const read = textOf(file)
  if ('fault' in read) return { company: undefined, faults: [read.fault] }
  const document = readDocument(read.text)
  const parsed = companySchema.safeParse(document.data)
  const pictures = readPictures(dirname(file), document.data)
  const faults = inOrder(document, [
    ...(parsed.success ? [] : shapeFaults(parsed.error, document.data)),
    ...pictures.faults,
    ...(catalogue.knownTexts === undefined ? [] : textsFaults(document.data, catalogue.knownTexts)),
    ...languagesFaults(document.data, catalogue.knownLanguages),
  ])
  const sentence = ({ line, column, path, says }: Fault) =>
    printable(`${basename(file)}:${line}:${column} ${path === '' ? '' : `${path}: `}${says}`)
  if (!parsed.success || faults.length > 0) return { company: undefined, faults: faults.map(sentence) }
  return { company: companyOf(parsed.data, pictures.assets), faults: [] }
}

/**
 * @param file COMPANY_FILE; undefined: the neutral company
 * @throws {SettingsError} naming every fault of the file
 */
export function loadCompany(file: string | undefined, catalogue: Catalogue = {}): Company {
  if (file === undefined) return neutralCompany
  const { company, faults } = readCompany(file, catalogue)
  if (company === undefined) throw new SettingsError(faults, 'faults in COMPANY_FILE')
  return company
}
