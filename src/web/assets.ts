// Serves the files that pages load: ours, the company's, and icons of apps. The list is fixed, and a file's name
// changes with its content, so that browsers may keep it for ever.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Router, type RequestHandler } from 'express'
import { appIcons } from '../company/app-icons.ts'
import { createStaticAsset, type StaticAsset } from '../company/static-asset.ts'
import type { Company } from '../company/company.ts'
import { Problem } from '../problem.ts'
import { seeOther } from './see-other.ts'
import { VIEWS_FOLDER } from './views.ts'

const ENCODERS = { br: brotliCompressSync, gzip: gzipSync, identity: (content: Buffer) => content }

/** An SVG may contain scripts and references. They don't work in an image, and this policy forbids them elsewhere. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const MAX_ACCEPT_CHARACTERS = 500

const isCompressible = ({ type }: StaticAsset) => type.startsWith('text/') || type === 'image/svg+xml'

function serveAssets(assets: readonly StaticAsset[]): Router {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]))
  const encoded = new Map<string, Buffer>()
  const serve: RequestHandler = (req, res) => {
    const asset = byPath.get(req.path)
    if (asset === undefined) throw new Problem(404, 'not_found')
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('Content-Type', asset.type)
    if (asset.type === 'image/svg+xml') res.setHeader('Content-Security-Policy', SVG_POLICY)
    if (!isCompressible(asset)) return res.end(asset.content)
    res.setHeader('Vary', 'Accept-Encoding')
    // Parsing a long header takes longer than sending the asset.
    req.headers['accept-encoding'] = req.headers['accept-encoding']?.slice(0, MAX_ACCEPT_CHARACTERS)
    // Encodings are tried one by one, because Express prefers the browser's order, in which gzip comes before br.
    const offered =
      (['br', 'gzip'] as const).find((encoding) => req.acceptsEncodings(encoding) !== false) ?? 'identity'
    if (offered !== 'identity') res.setHeader('Content-Encoding', offered)
    const key = `${offered} ${asset.path}`
    const body = encoded.get(key) ?? ENCODERS[offered](asset.content)
    encoded.set(key, body)
    res.end(body)
  }
  return Router().get('/assets/:file', serve).get('/assets/:folder/:file', serve)
}

/** A file with the brand colors as custom properties, because the policy forbids inline styles. */
function brandStylesheet({ color: { light: first, dark } }: Pick<Company, 'color'>): StaticAsset {
  const values = [
    ['--brand', first.brand, dark.brand],
    ['--on-brand', first.onBrand, dark.onBrand],
    ['--brand-soft', first.soft, dark.soft],
    ['--brand-strong', first.strong, dark.strong],
  ]
  const lines = values.map(([name, light, other]) => `  ${name}: light-dark(${light}, ${other});\n`)
  return createStaticAsset('/assets/company/brand', 'css', Buffer.from(`:root {\n${lines.join('')}}\n`))
}

export function loadAssets(company: Company) {
  const load = (name: string, ending: 'css' | 'js' | 'svg') => {
    const content = readFileSync(join(VIEWS_FOLDER, 'assets', `${name}.${ending}`))
    return createStaticAsset(`/assets/${name}`, ending, content)
  }
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
