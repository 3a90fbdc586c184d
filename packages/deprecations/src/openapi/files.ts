// The files of an OpenAPI document: itself, and the neighbours that its references name. Nothing is fetched.
// Only files below the folder of the checked one are read: a document may come from anyone.
import { realpath } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { InputFault } from '../command-line/input-fault.ts'
import { parseJson, readText } from '../input/json-file.ts'
import { linesOf } from '../input/json-scan.ts'

/** A parsed file; two references to one file lead to the same object. */
export type SpecFile = {
  name: string
  /** Absolute; absent for standard input. */
  path?: string | undefined
  data: unknown
  /** The lines of the values at JSON pointers. */
  linesAt: (pointers: ReadonlySet<string>) => Map<string, number>
}

/** Why a reference leads to no file, as the end of a sentence about it. */
type NoFile = { why: string }

/** The file that a reference in another one names, or why there is none. */
export type FindFile = (from: SpecFile, address: string) => SpecFile | NoFile

/** More neighbours count as not read. */
const MAX_FILES = 500
const MAX_YAML = 8 * 1024 * 1024

/** Parses JSON or YAML; throws InputFault. */
export const parseSpec = async (text: string, name: string): Promise<SpecFile> => {
  if (/^\s*[{[]/.test(text)) return { name, data: parseJson(text, name), linesAt: (at) => linesOf(text, at) }
  if (text.length > MAX_YAML)
    throw new InputFault(name, undefined, 'more than 8 MiB of YAML; convert it to JSON first')
  // Loaded when wanted: most checks read no YAML, and the parser is large.
  const { parseYaml } = await import('../input/yaml-file.ts')
  return { name, ...parseYaml(text, name) }
}

/** Whether a member names a file as `$ref` does: the mapping of a discriminator can. */
const isAddress = (name: string, member: unknown) =>
  name === '$ref' || /\.(?:json|ya?ml)(?:#|$)/i.test(String(member))

/** The addresses of other files in a document, without fragments. */
const addressesIn = (data: unknown): Set<string> => {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const waiting = [data]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string') {
      const [address = ''] = value.split('#', 1)
      if (/^[^\s{}]{1,1000}$/.test(address)) found.add(address)
    }
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' || isAddress(name, member)) waiting.push(member)
  }
  return found
}

const pathTo = (from: SpecFile, address: string): string | undefined => {
  if (from.path === undefined || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return undefined
  try {
    return resolve(dirname(from.path), decodeURIComponent(address.split('?', 1)[0] ?? ''))
  } catch {
    return undefined
  }
}

const isBelow = (path: string, folder: string) =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

const outside = {
  why: 'leads out of the folder of the document, which is not followed; put the file beside it',
}
const onNetwork = {
  why: 'leads to no file beside the document, and nothing is fetched; put the file beside it',
}
const tooMany = { why: `leads to more than ${MAX_FILES} files; bundle them` }

const load = async (path: string, name: string, folder: string): Promise<SpecFile | NoFile> => {
  if (!isBelow(path, folder)) return outside
  try {
    if (!isBelow(await realpath(path), await realpath(folder))) return outside
    return { ...(await parseSpec(await readText(path), name)), path }
  } catch (error) {
    if (error instanceof InputFault) return { why: `leads to a file that cannot be read: ${error.message}` }
    return { why: 'leads to a file that is not there; add it' }
  }
}

/** Reads all that a document leads to, and gives a way to find it. */
export const loadNeighbours = async (main: SpecFile): Promise<FindFile> => {
  const folder = main.path === undefined ? '' : dirname(main.path)
  const files = new Map<string, SpecFile | NoFile>()
  if (main.path !== undefined) files.set(main.path, main)
  const waiting = [main]
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop())
    for (const address of addressesIn(from.data)) {
      const path = pathTo(from, address)
      if (path === undefined || files.has(path)) continue
      const name = resolve(dirname(main.name), path.slice(folder.length + 1))
      const file = files.size > MAX_FILES ? tooMany : await load(path, name, folder)
      files.set(path, file)
      if (!('why' in file)) waiting.push(file)
    }
  return (from, address) => files.get(pathTo(from, address) ?? '') ?? onNetwork
}
