// A store in memory that a year of hourly runs can afford: it answers at once, seals nothing, and what was parsed once is not
// parsed again until it is written. Records expire by the simulated clock. It replaces JSON.parse, so it
// belongs into a process of its own.
import type { Records } from '../../../src/records/records.ts'
import type { KeyRing } from '../../../src/records/data-key.ts'

type Kept = { text: string; until: number }

/** What was made of the texts that are kept: they are read about 25,000 times between two changes. */
const parsed = new Map<string, unknown>()
const { parse } = JSON
JSON.parse = (text: string, ...given: [never?]) => {
  if (!parsed.has(text)) return parse(text, ...given) as unknown
  const known = parsed.get(text) ?? parse(text)
  parsed.set(text, known)
  return known as unknown
}

/** Everyone's time zone is looked at in the same moment. */
const lastParts = new WeakMap<Intl.DateTimeFormat, { at: unknown; parts: Intl.DateTimeFormatPart[] }>()
const { prototype } = Intl.DateTimeFormat
const formatToParts = Reflect.get(prototype, 'formatToParts')
prototype.formatToParts = function (this: Intl.DateTimeFormat, at) {
  const last = lastParts.get(this)
  if (last !== undefined && last.at === at) return last.parts
  const parts = formatToParts.call(this, at).filter(({ type }) => type !== 'literal')
  lastParts.set(this, { at, parts })
  return parts
}

/** What was written last: it is what will be read. */
let written = { text: '', value: undefined as unknown }
const { stringify } = JSON
JSON.stringify = (value: unknown, ...given: [never?]) => {
  written = { text: stringify(value, ...given), value }
  return written.text
}

export function createStore(now: () => number) {
  const values = new Map<string, Kept>()

  function read(key: string): string | undefined {
    const kept = values.get(key)
    if (kept === undefined || now() < kept.until) return kept?.text
    remove(key)
    return undefined
  }

  function remove(key: string): void {
    parsed.delete(values.get(key)?.text ?? '')
    values.delete(key)
  }

  const records: Pick<Records, 'get' | 'compareAndSet' | 'remove' | 'keys'> = {
    get: (key) => Promise.resolve(read(key)),
    compareAndSet(key, expected, text, seconds) {
      if (read(key) !== expected) return Promise.resolve(false)
      remove(key)
      values.set(key, { text, until: now() + seconds * 1000 })
      parsed.set(text, written.text === text ? written.value : undefined)
      return Promise.resolve(true)
    },
    remove: (key) => Promise.resolve(remove(key)),
    async *keys(prefix) {
      yield await Promise.resolve([...values.keys()].filter((key) => key.startsWith(prefix)))
    },
  }

  const keyRing: KeyRing = {
    dataKey: () => Promise.resolve({ sealer: plain, keyFor: (_purpose, text) => text }),
  }
  return { records, keyRing }
}

const plain = { seal: (text: string) => text, open: (text: string) => text, isCurrent: () => true }
