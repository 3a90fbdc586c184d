// The files that pages need, ours, the company's and the marks of apps, from a fixed list, each under a name that changes with its content, so that browsers may
// keep them for ever.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Router, type RequestHandler } from 'express'
import { appIcons } from '../company/app-icons.ts'
import { createStaticAsset, type StaticAsset, type FileExtension } from '../company/static-asset.ts'
import type { Company } from '../company/company.ts'
import { Problem } from '../problem.ts'
import { seeOther } from './see-other.ts'

/** Further stylesheets, each for the pages that name it. */
export type Sheet = 'schedule' | 'walk' | 'wide'

/** Scripts, each for the pages that name it. */
export type Script = 'walk'

export type Assets = {
  stylesheet: string
  /** The company's color. */
  brand: string
  sheets: Readonly<Record<Sheet, string>>
  scripts: Readonly<Record<Script, string>>
  icon: string
  routes: Router
}

/** The smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

type Encoded = { br: Buffer; gzip: Buffer; identity: Buffer }

/** An SVG may hold scripts and references. As an image it can't use them; opened alone, this policy forbids them. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** PNG, JPEG and WebP are compressed already. */
const isCompressible = ({ type }: StaticAsset) => type.startsWith('text/') || type === 'image/svg+xml'

/** Each asset at its own address, for a year; compressed once, when it is first asked for. */
function serveAssets(assets: readonly StaticAsset[]): Router {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]))
  const compressed = new Map<string, Encoded>()
  const encodedOf = ({ path, content }: StaticAsset): Encoded => {
    const known = compressed.get(path)
    const encoded = known ?? { br: brotliCompressSync(content), gzip: gzipSync(content), identity: content }
    compressed.set(path, encoded)
    return encoded
  }
  const serve: RequestHandler = (req, res) => {
    const asset = byPath.get(req.path)
    if (asset === undefined) throw new Problem(404, 'not_found')
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

/** The brand color as custom properties, for light and dark pages; a file, as the pages allow no inline styles. */
export function brandStylesheet({ color: { light, dark } }: Pick<Company, 'color'>): StaticAsset {
  const values = [
    ['--brand', light.brand, dark.brand],
    ['--on-brand', light.onBrand, dark.onBrand],
    ['--brand-soft', light.soft, dark.soft],
    ['--brand-strong', light.strong, dark.strong],
  ]
  const lines = values.map(([name, one, other]) => `  ${name}: light-dark(${one}, ${other});\n`)
  return createStaticAsset('/assets/company/brand', 'css', Buffer.from(`:root {\n${lines.join('')}}\n`))
}

/** @param folder the path of views/ */
export function loadAssets(folder: string, company: Company): Assets {
  const load = (name: string, ending: FileExtension) =>
    createStaticAsset(`/assets/${name}`, ending, readFileSync(join(folder, 'assets', `${name}.${ending}`)))
  const ours = {
    stylesheet: load('onramp', 'css'),
    brand: brandStylesheet(company),
    schedule: load('schedule', 'css'),
    walk: load('walk', 'css'),
    wide: load('wide', 'css'),
    script: load('walk', 'js'),
    icon: load('icon', 'svg'),
  }
  const icon = company.icon ?? ours.icon
  const { stylesheet, brand, schedule, walk, wide, script } = ours
  const routes = serveAssets([...Object.values(ours), ...company.assets, ...appIcons])
  routes.get('/favicon.ico', (_req, res) => seeOther(res, icon.path))
  return {
    stylesheet: stylesheet.path,
    brand: brand.path,
    sheets: { schedule: schedule.path, walk: walk.path, wide: wide.path },
    scripts: { walk: script.path },
    icon: icon.path,
    routes,
  }
}
