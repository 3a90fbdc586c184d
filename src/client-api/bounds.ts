// How much of an answer is kept, and in which characters: the service is believed, but a mistake of its must not fill or
// rearrange pages, logs and records. Pure. What surprises: an identifier that is cut gets a digest, because two that begin alike must stay two.
import { hash } from 'node:crypto'
import { presentable } from '../presentable.ts'

/** Longer ones are not seen anywhere; the overview's own links take no longer ones either (onboarding/paths.ts). */
export const MAX_INSTANCE_CHARACTERS = 200
const MAX_NAME_CHARACTERS = 200
/** No one gives so many consents. A list that is longer is refused: what was left out would count as connected. */
export const MAX_ENTRIES = 1_000
export const MAX_RESULTS = 50
export const MAX_TITLE_CHARACTERS = 300
export const MAX_SNIPPET_CHARACTERS = 1_000
const MAX_URL_CHARACTERS = 4_096

const KEPT_CHARACTERS = 40
const segmenter = new Intl.Segmenter()

/** The identifier, or what stands for one that is too long: the same for the same identifier each time. */
export const boundedInstance = (instance: string): string =>
  instance.length <= MAX_INSTANCE_CHARACTERS
    ? instance
    : `${cut(instance, KEPT_CHARACTERS)}-${hash('sha256', instance, 'hex').slice(0, 32)}`

/** Between two characters that people see, where they are not themselves without end. */
function cut(text: string, most: number): string {
  const segments = [...segmenter.segment(text.slice(0, most + 1))].map(({ segment }) => segment)
  const whole = segments.slice(0, -1).join('')
  return whole === '' ? text.slice(0, most).toWellFormed() : whole
}

/** @param most characters; more are cut off where a reader would cut. What was cut before stays as it is. */
export function shortened(text: string, most: number): string {
  if (text.length <= most || (text.length === most + 1 && text.endsWith('…'))) return text
  const whole = cut(text, most)
  // Between two words, unless one of them is most of it.
  const words = /\s/.test(text.charAt(whole.length)) ? whole : whole.replace(/\s\S*$/, '')
  return `${(words.length > most / 2 ? words : whole).replace(/[\s,;:]+$/, '')}…`
}

/** An address is whole or it is none. */
export const boundedUrl = (url: string | undefined) =>
  url === undefined || url.length > MAX_URL_CHARACTERS ? undefined : url

/** No one could read, click or name what has no visible character; joiners and fillers have none (Unicode 5.21). */
export const isVisible = (text: string | undefined): text is string =>
  /[!-~]/.test(text ?? '') ||
  presentable((text ?? '').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')) !== ''

/** What an app is called: its name, or its identifier where that shows nothing. */
export const nameToShow = (name: string | undefined, instance: string): string =>
  shortened(presentable(isVisible(name) ? name : instance), MAX_NAME_CHARACTERS)
