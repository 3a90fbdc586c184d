// The files that pages need, from a fixed list, each under a name that changes with its content, so that browsers may
// keep them for ever.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Router, type RequestHandler } from 'express'
import { assetOf, type Asset, type Ending } from '../company/asset.ts'

/** Further stylesheets, each for the pages that name it. */
export type Sheet = 'schedule' | 'walk' | 'wide'

/** Scripts, each for the pages that name it. */
export type Script = 'wait'

export type Assets = {
  stylesheet: string
  sheets: Readonly<Record<Sheet, string>>
  scripts: Readonly<Record<Script, string>>
  icon: string
  routes: Router
}

/** The smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

type Encoded = { br: Buffer; gzip: Buffer; identity: Buffer }

/** A drawing may hold styles and, if a check of ours missed it, more: opened alone it can do nothing. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** PNG, JPEG and WebP are compressed already. */
const isCompressible = ({ type }: Asset) => type.startsWith('text/') || type === 'image/svg+xml'

/** Each asset at its own address, for a year; compressed once, when it is first asked for. */
export function serveAssets(assets: readonly Asset[]): Router {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]))
  const compressed = new Map<string, Encoded>()
  const encodedOf = ({ path, content }: Asset): Encoded => {
    const known = compressed.get(path)
    const encoded = known ?? { br: brotliCompressSync(content), gzip: gzipSync(content), identity: content }
    compressed.set(path, encoded)
    return encoded
  }
  const serve: RequestHandler = (req, res, next) => {
    const asset = byPath.get(req.path)
    if (asset === undefined) return next()
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('Content-Type', asset.type)
    if (asset.type === 'image/svg+xml') res.setHeader('Content-Security-Policy', DRAWING_POLICY)
    if (!isCompressible(asset)) return res.end(asset.content)
    res.setHeader('Vary', 'Accept-Encoding')
    // One after the other: of several, Express takes what the browser names first, and browsers name gzip before br.
    const encoding = ENCODINGS.find((one) => req.acceptsEncodings(one) !== false) ?? 'identity'
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding)
    res.end(encodedOf(asset)[encoding])
  }
  return Router().get('/assets/:file', serve).get('/assets/:folder/:file', serve)
}

/**
 * @param folder the path of views/
 * @param companyIcon takes the place of ours; who serves it is company-assets.ts
 */
export function loadAssets(folder: string, companyIcon?: Asset): Assets {
  const read = (name: string) => readFileSync(join(folder, 'assets', name))
  const load = (name: string, ending: Ending) => assetOf(`/assets/${name}`, ending, read(`${name}.${ending}`))
  // Line breaks and indents are a tenth of a stylesheet's weight, and each ends where none is needed.
  const sheet = (name: string) =>
    assetOf(`/assets/${name}`, 'css', Buffer.from(read(`${name}.css`).toString().replaceAll(/\n\s*/g, '')))
  const stylesheet = sheet('onramp')
  const ours = load('icon', 'svg')
  const icon = companyIcon ?? ours
  const sheets = { schedule: sheet('schedule'), walk: sheet('walk'), wide: sheet('wide') }
  const scripts = { wait: load('wait', 'js') }
  const routes = serveAssets([stylesheet, ...Object.values(sheets), ...Object.values(scripts), ours])
  routes.get('/favicon.ico', (_req, res) => {
    res.statusCode = 303
    res.setHeader('Location', icon.path)
    res.end()
  })
  return {
    stylesheet: stylesheet.path,
    sheets: { schedule: sheets.schedule.path, walk: sheets.walk.path, wide: sheets.wide.path },
    scripts: { wait: scripts.wait.path },
    icon: icon.path,
    routes,
  }
}
