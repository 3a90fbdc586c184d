// The values of an OpenAPI document, each with the place where it is written, and where its references lead. A document may
// come from anyone: nothing is fetched, and only files in its folder and below are read.
import { realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { InputFault } from '../command-line/input-fault.ts'
import { jsonLines, parseJson, readText, recordOf } from '../input/json.ts'

type Parsed = { data: unknown; lineOf: (path: readonly string[]) => number | undefined }
type File = Parsed & { name: string; open: (address: string) => File | undefined }

/** A value and its place. A member that is not there has the place of its object. */
export type Spot = { file: File; pointer: string; value: unknown }

const parseYaml = (text: string, file: string): Parsed => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new InputFault(file, lines.linePos(error.pos[0]).line, 'not valid YAML at this line; fix it')
  const into = (node: unknown, step: string): unknown => {
    if (isSeq(node)) return node.items[Number(step)]
    return isMap(node) ? node.items.find(({ key }) => String(key) === step)?.value : undefined
  }
  const lineOf = (path: readonly string[]) => {
    const node = path.reduce<unknown>(into, document.contents)
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined
  }
  try {
    // Aliases can unfold without end; the library stops at a hundred.
    return { data: document.toJS({ maxAliasCount: 100 }), lineOf }
  } catch (cause) {
    const what = 'its aliases expand too far or refer to nothing; write them out'
    throw new InputFault(file, undefined, what, cause)
  }
}

const MAX_FILES = 500

/** Parses a document, JSON or YAML. `stdin` has no files beside it. @throws {InputFault} when it can't be parsed */
export const openDocument = (text: string, name: string): Spot => {
  const folder = dirname(resolve(name))
  const files = new Map<string, File | undefined>()
  const parse = (content: string, shown: string): File => {
    const isJson = /^\s*[{[]/.test(content)
    const parsed = isJson
      ? { data: parseJson(content, shown), lineOf: jsonLines(content) }
      : parseYaml(content, shown)
    return {
      ...parsed,
      name: shown,
      open: (address) => (name === 'stdin' ? undefined : open(join(dirname(shown), address))),
    }
  }
  const open = (shown: string) => {
    const path = resolve(shown)
    if (files.has(path) || files.size >= MAX_FILES) return files.get(path)
    files.set(path, undefined)
    try {
      const isBelow = realpathSync(path).startsWith(realpathSync(folder) + sep)
      if (isBelow) files.set(path, parse(readText(path), shown))
    } catch {
      // What can't be read is reported where something that matters leads there.
    }
    return files.get(path)
  }
  const file = parse(text, name)
  files.set(resolve(name), file)
  return { file, pointer: '', value: file.data }
}

export const memberOf = ({ file, pointer, value }: Spot, name: string): Spot => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    return { file, pointer, value: undefined }
  const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return { file, pointer: `${pointer}/${step}`, value: Reflect.get(value, name) }
}

/** The members of an object, or the items of a list. */
export const membersOf = (spot: Spot | undefined): { name: string; spot: Spot }[] =>
  spot === undefined || typeof spot.value !== 'object'
    ? []
    : Object.keys(spot.value ?? {}).map((name) => ({ name, spot: memberOf(spot, name) }))

/** The steps of a JSON pointer (RFC 6901). */
const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

export const lineOf = ({ file, pointer }: Spot): number | undefined => file.lineOf(stepsOf(pointer))

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

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
