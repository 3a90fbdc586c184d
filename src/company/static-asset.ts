// A file that pages load, under an address that changes with its content, so that browsers may keep it for ever. Pure.
import { hash } from 'node:crypto'

export type StaticAsset = {
  /** Its address on this origin. */
  path: string
  /** Its Content-Type. */
  type: string
  content: Buffer
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
} as const

export type FileExtension = keyof typeof TYPES

/** @param place the address without hash and ending, like `/assets/onramp` */
export const createStaticAsset = (place: string, ending: FileExtension, content: Buffer): StaticAsset => ({
  path: `${place}.${hash('sha256', content, 'hex').slice(0, 12)}.${ending}`,
  type: TYPES[ending],
  content,
})
