// Places in an OpenAPI document and its neighbours, and where references lead from there.
import { pointerOf, type Path } from '../input/json-scan.ts'
import type { FindFile, SpecFile } from './files.ts'

export type Loose = Record<string, unknown>
export const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value and where it lies. */
export type At = { value: unknown; path: Path; file: SpecFile }

/** Hears of a reference that leads nowhere; `why` ends a sentence about it. */
export type Lost = (at: At, why: string) => void

const memberOf = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Loose)[step]
    : undefined

export const into = ({ value, path, file }: At, ...steps: string[]): At =>
  steps.reduce<At>((at, step) => ({ value: memberOf(at.value, step), path: [...at.path, step], file }), {
    value,
    path,
    file,
  })

export const childrenOf = (at: At): At[] =>
  isRecord(at.value) ? Object.keys(at.value).map((name) => into(at, name)) : []
export const itemsOf = ({ value, path, file }: At): At[] =>
  Array.isArray(value) ? value.map((item, index) => ({ value: item, path: [...path, index], file })) : []

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
  const waiting: At[] = [{ value: file.data, path: [], file }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue
    seen.add(at.value)
    if (isRecord(at.value) && [at.value.$anchor, at.value.$dynamicAnchor].includes(name)) return at
    waiting.push(...childrenOf(at), ...itemsOf(at))
  }
  return undefined
}

const target = (file: SpecFile, fragment: string): At | undefined => {
  const root: At = { value: file.data, path: [], file }
  if (fragment === '') return root
  if (!fragment.startsWith('/')) return anchored(file, decode(fragment))
  const steps = fragment.slice(1).split('/')
  return into(root, ...steps.map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~')))
}

const MAX_HOPS = 50

export type Follow = (at: At, lost: Lost) => At | undefined

/** Where a reference leads, references there included; a value that is no reference is itself. */
export const createFollow = (find: FindFile): Follow => {
  const step = (at: At, reference: string, lost: Lost): At | undefined => {
    const [address = '', fragment = ''] = reference.split(/#(.*)/s, 2)
    const file = address === '' ? at.file : find(at.file, address)
    if ('why' in file) lost(at, file.why)
    else {
      const found = target(file, fragment)
      if (found?.value !== undefined) return found
      lost(at, 'leads to a place that is not there; correct it')
    }
    return undefined
  }
  return (at, lost) => {
    let here: At | undefined = at
    for (let hops = 0; here !== undefined; hops += 1) {
      const reference: unknown = isRecord(here.value)
        ? (here.value.$ref ?? here.value.$dynamicRef ?? here.value.$recursiveRef)
        : undefined
      if (typeof reference !== 'string') return here
      if (hops > MAX_HOPS) lost(at, 'leads in a circle; correct it')
      here = hops > MAX_HOPS ? undefined : step(here, reference, lost)
    }
    return undefined
  }
}
