// Limits what is taken from a response, so that a mistake of the service can't fill pages, logs and records. Pure.
import { hash } from 'node:crypto'
import { presentable } from '../presentable.ts'

/** Links of the overview take no longer ones (onboarding/paths.ts). */
export const MAX_INSTANCE_CHARACTERS = 200
const MAX_NAME_CHARACTERS = 200
/** A longer list is rejected, because an app that was left out would count as connected. */
export const MAX_ENTRIES = 1_000
export const MAX_RESULTS = 50
export const MAX_TITLE_CHARACTERS = 300
export const MAX_SNIPPET_CHARACTERS = 1_000
const MAX_URL_CHARACTERS = 4_096

const KEPT_CHARACTERS = 40
const segmenter = new Intl.Segmenter()

/** The identifier; a long one is cut and gets a digest, so that two that begin alike stay two. */
export const boundedInstance = (instance: string): string =>
  instance.length <= MAX_INSTANCE_CHARACTERS
    ? instance
    : `${cut(instance, KEPT_CHARACTERS)}-${hash('sha256', instance, 'hex').slice(0, 32)}`

/** Cuts between two graphemes, unless the first one is longer than that. */
function cut(text: string, most: number): string {
  const segments = [...segmenter.segment(text.slice(0, most + 1))].map(({ segment }) => segment)
  const whole = segments.slice(0, -1).join('')
  return whole === '' ? text.slice(0, most).toWellFormed() : whole
}

/** @param most characters; cuts between words, and adds an ellipsis */
export function shortened(text: string, most: number): string {
  if (text.length <= most || (text.length === most + 1 && text.endsWith('…'))) return text
  const whole = cut(text, most)
  const words = /\s/.test(text.charAt(whole.length)) ? whole : whole.replace(/\s\S*$/, '')
  return `${(words.length > most / 2 ? words : whole).replace(/[\s,;:]+$/, '')}…`
}

export const boundedUrl = (url: string | undefined) =>
  url === undefined || url.length > MAX_URL_CHARACTERS ? undefined : url

/** True with a visible character; joiners and fillers have none (Unicode 5.21). */
export const isVisible = (text: string | undefined): text is string =>
  /[!-~]/.test(text ?? '') ||
  presentable((text ?? '').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')) !== ''

/** An app's name, or its identifier if the name shows nothing. */
export const nameToShow = (name: string | undefined, instance: string): string =>
  shortened(presentable(isVisible(name) ? name : instance), MAX_NAME_CHARACTERS)
