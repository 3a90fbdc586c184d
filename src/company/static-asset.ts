// A file that pages load. Its path has a hash of the content, so browsers may cache it for ever. Pure.
import { hash } from 'node:crypto'

const TYPES = {
  css: 'text/css; charset=utf-8',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

export type StaticAsset = { path: string; type: string; content: Buffer }

/** @param place the path without hash and extension, like `/assets/onramp` */
export const createStaticAsset = (
  place: string,
  ending: keyof typeof TYPES,
  content: Buffer,
): StaticAsset => ({
  path: `${place}.${hash('sha256', content, 'hex').slice(0, 12)}.${ending}`,
  type: TYPES[ending],
  content,
})
