// The values of an OpenAPI document, each with the place where it is written, and where its references lead. A document may
// come from anyone: nothing is fetched, and only files in its folder and below are read.
import { realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { parse, readDocument, recordOf, type Parsed } from '../input/document.ts'

type File = Parsed & { name: string; open: (address: string) => File | undefined }

/** A value and its place: a file and a JSON pointer (RFC 6901). A member that is not there has the place of its object. */
export type Spot = { file: File; pointer: string; value: unknown }

const MAX_FILES = 500

/** Parses a document. `stdin` has no files beside it. @throws {InputFault} when it can't be parsed */
export const openDocument = (text: string, name: string): Spot => {
  const folder = dirname(resolve(name))
  const files = new Map<string, File | undefined>()
  const add = (shown: string, parsed: Parsed): File => {
    const file = { ...parsed, name: shown, open: (address: string) => open(join(dirname(shown), address)) }
    files.set(resolve(shown), file)
    return file
  }
  const open = (shown: string): File | undefined => {
    const path = resolve(shown)
    if (files.has(path) || files.size >= MAX_FILES || name === 'stdin') return files.get(path)
    files.set(path, undefined)
    try {
      const isBelow = realpathSync(path).startsWith(realpathSync(folder) + sep)
      return isBelow ? add(shown, readDocument(path)) : undefined
    } catch {
      // It is reported where something that matters leads there.
      return undefined
    }
  }
  const file = add(name, parse(text, name))
  return { file, pointer: '', value: file.data }
}

export const memberOf = ({ file, pointer, value }: Spot, name: string): Spot => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    return { file, pointer, value: undefined }
  const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return { file, pointer: `${pointer}/${step}`, value: Reflect.get(value, name) }
}

/** The members of an object, or the items of a list, with their names. */
export const membersOf = (spot: Spot | undefined): [name: string, spot: Spot][] =>
  spot === undefined || typeof spot.value !== 'object'
    ? []
    : Object.keys(spot.value ?? {}).map((name) => [name, memberOf(spot, name)])

const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

export const lineOf = ({ file, pointer }: Spot): number | undefined => file.lineOf(stepsOf(pointer))

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const MAX_HOPS = 100

/** Where a reference leads, undefined where it can't be followed; a value that is no reference is itself. */
export const follow = (from: Spot): Spot | undefined => {
  let spot = from
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    const reference = recordOf(spot.value).$ref
    if (typeof reference !== 'string') return spot
    const [address = '', fragment = ''] = decoded(reference).split('#', 2)
    const file = address === '' ? spot.file : spot.file.open(address)
    // A name, `#Pet`, is an anchor.
    if (file === undefined || !/^(?:\/|$)/.test(fragment)) return undefined
    spot = stepsOf(fragment).reduce(memberOf, { file, pointer: '', value: file.data })
    if (spot.value === undefined) return undefined
  }
  return undefined
}
