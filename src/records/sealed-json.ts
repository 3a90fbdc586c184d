// JSON that is kept sealed and bound to the key it is kept under, so that one record cannot take another's place.
// A record that can't be read is told apart from none: it may hold what a person asked for.
import type { Sealer } from './seal.ts'

/** `otherSecret`: of another installation, or of a secret that was dropped. `newer`: more than one version ahead. */
export type Unreadable = 'otherSecret' | 'damaged' | 'newer'

export type OpenedJson =
  | { kind: 'json'; json: Readonly<Record<string, unknown>>; isCurrent: boolean }
  | { kind: 'unreadable'; why: Unreadable }

export type JsonForm = {
  sealer: Pick<Sealer, 'open' | 'isCurrent' | 'isOurs'>
  /** The version that is written. A reader takes one version older and one newer, for while an update is under way. */
  version: number
  /** What the previous version bound it to instead of the key. */
  formerHolder?: string
  /** The previous version had no number in it. */
  wasUnversioned?: true
}

const unreadable = (why: Unreadable): OpenedJson => ({ kind: 'unreadable', why })

/** @param key the whole key that it is kept under, without REDIS_PREFIX */
export function openJson(text: string, key: string, form: JsonForm): OpenedJson {
  const { sealer, formerHolder } = form
  const plain = sealer.open(text, key)
  if (plain !== undefined) return parse(plain, form, sealer.isCurrent(text))
  const former = formerHolder === undefined ? undefined : sealer.open(text, formerHolder)
  if (former !== undefined) return parse(former, form, false)
  return unreadable(sealer.isOurs(text) ? 'damaged' : 'otherSecret')
}

function objectIn(plain: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(plain)
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function parse(plain: string, { version, wasUnversioned }: JsonForm, isCurrent: boolean): OpenedJson {
  const json = objectIn(plain)
  const written = json?.['version'] ?? (wasUnversioned ? version - 1 : undefined)
  if (json === undefined || typeof written !== 'number') return unreadable('damaged')
  if (written > version + 1) return unreadable('newer')
  return written >= version - 1 ? { kind: 'json', json, isCurrent } : unreadable('damaged')
}

/** Records of one kind, for readers that treat one that can't be read as none. */
export type SealedJson<T> = {
  /** @param key the whole key that it is kept under, without REDIS_PREFIX */
  seal(value: T, key: string): string
  /** What a record holds; the types of its members are not checked. */
  open(text: string | undefined, key: string): T | undefined
}

export const sealedJson = <T extends object>(sealer: Pick<Sealer, 'seal' | 'open'>): SealedJson<T> => ({
  seal: (value, key) => sealer.seal(JSON.stringify(value), key),
  open(text, key) {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    return plain === undefined ? undefined : (objectIn(plain) as T | undefined)
  },
})
