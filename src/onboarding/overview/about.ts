// What the company says of an app, and the sign that it is seen by: the company's logo, its maker's mark, or a letter. Pure.
import type { Known } from '../walk.ts'

/** Of the company's file, in the person's language. */
export type AboutApp = {
  /** A picture, or a symbol of a sprite (`/assets/marks.svg#github`); both are paths of ours. */
  logo: string | undefined
  mark: string | undefined
  reads: readonly string[]
  never: readonly string[]
  why: string | undefined
  account: string | undefined
  help: string | undefined
  isRequired: boolean
}

export type About = (instance: string) => AboutApp

export const nothingSaid: AboutApp = {
  logo: undefined,
  mark: undefined,
  reads: [],
  never: [],
  why: undefined,
  account: undefined,
  help: undefined,
  isRequired: false,
}

const TONES = 6
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A sign for an app, seen at a glance; for the eye alone. */
export function tileOf({ name, instance }: Pick<Known, 'name' | 'instance'>, about: About) {
  const { logo, mark } = about(instance)
  let sum = 0
  for (const character of instance) sum += character.codePointAt(0) ?? 0
  return { logo, mark, initial: initialOf(name), tone: `tone-${sum % TONES}` }
}

/** What a reader sees as the first character; a sign that says nothing is passed over. */
function initialOf(name: string): string {
  if (/^[a-z0-9][\x20-\x7e]/i.test(name)) return name.charAt(0).toUpperCase()
  for (const { segment } of characters.segment(name.slice(0, 40)))
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment.toLocaleUpperCase()
  return '·'
}
