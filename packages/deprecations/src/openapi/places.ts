// Places in an OpenAPI document and its neighbours, and where references lead from there.
import { isRecord, pointerOf, type Path } from '../input/json-scan.ts'
import type { FindFile, SpecFile } from './files.ts'

/** A value and where it is. */
export type At = { value: unknown; path: Path; file: SpecFile }

/** Called for a reference that leads nowhere; `why` ends a sentence about it. */
export type Lost = (at: At, why: string) => void

export const rootOf = (file: SpecFile): At => ({ value: file.data, path: [], file })

export const into = (at: At, ...steps: string[]): At =>
  steps.reduce<At>(({ value, path, file }, step) => {
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    return { value: isMember ? Reflect.get(value, step) : undefined, path: [...path, step], file }
  }, at)

export const childrenOf = (at: At): At[] =>
  isRecord(at.value) ? Object.keys(at.value).map((name) => into(at, name)) : []
export const itemsOf = ({ value, path, file }: At): At[] =>
  Array.isArray(value) ? value.map((item, index) => ({ value: item, path: [...path, index], file })) : []

export const nameOf = ({ path }: At): string => String(path.at(-1) ?? '')
export const placeOf = ({ path }: At): string => pointerOf(path)

const decode = (step: string) => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The schema with an `$anchor` in a file (JSON Schema 2020-12, 8.2.2). */
const anchored = (file: SpecFile, name: string): At | undefined => {
  const seen = new Set<unknown>()
  const waiting = [rootOf(file)]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue
    seen.add(at.value)
    if (isRecord(at.value) && [at.value.$anchor, at.value.$dynamicAnchor].includes(name)) return at
    waiting.push(...childrenOf(at), ...itemsOf(at))
  }
  return undefined
}

const targetOf = (file: SpecFile, fragment: string): At | undefined => {
  if (fragment !== '' && !fragment.startsWith('/')) return anchored(file, decode(fragment))
  const [, ...steps] = fragment.split('/')
  return into(rootOf(file), ...steps.map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~')))
}

const MAX_HOPS = 50

export type Follow = (at: At) => At | undefined

/** Where a reference leads, references there included; a value that is no reference is itself. */
export const createFollow = (find: FindFile, lost: Lost): Follow => {
  const step = (at: At, reference: string): At | undefined => {
    const [address = '', fragment = ''] = reference.split(/#(.*)/s, 2)
    const file = address === '' ? at.file : find(at.file, address)
    const found = 'why' in file ? undefined : targetOf(file, fragment)
    if (found?.value !== undefined) return found
    lost(at, 'why' in file ? file.why : 'leads to a place that is not there; correct it')
    return undefined
  }
  return (at) => {
    let here: At | undefined = at
    for (let hops = 0; here !== undefined; hops += 1) {
      const reference: unknown = isRecord(here.value)
        ? (here.value.$ref ?? here.value.$dynamicRef ?? here.value.$recursiveRef)
        : undefined
      if (typeof reference !== 'string') return here
      if (hops > MAX_HOPS) {
        lost(at, 'leads in a circle; correct it')
        return undefined
      }
      here = step(here, reference)
    }
    return undefined
  }
}
