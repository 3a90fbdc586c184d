// The files that pages need, from a fixed list, each under a name that changes with its content, so that browsers may
// keep them for ever.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Router } from 'express'

/** Further stylesheets, each for the pages that name it. */
export type Sheet = 'wide'

export type Assets = {
  stylesheet: string
  sheets: Readonly<Record<Sheet, string>>
  icon: string
  routes: Router
}

/** @param folder the path of views/ */
export function loadAssets(folder: string): Assets {
  const routes = Router()
  const add = (file: string, type: string): string => {
    const content = readFileSync(join(folder, 'assets', file))
    const [name, ending] = file.split('.')
    const path = `/assets/${name}.${hash('sha256', content, 'hex').slice(0, 12)}.${ending}`
    const encoded = { br: brotliCompressSync(content), gzip: gzipSync(content), identity: content }
    routes.get(path, (req, res) => {
      const encoding = (req.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as keyof typeof encoded
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
      res.setHeader('Vary', 'Accept-Encoding')
      res.setHeader('Content-Type', type)
      if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding)
      res.end(encoded[encoding])
    })
    return path
  }
  const stylesheet = add('onramp.css', 'text/css; charset=utf-8')
  const sheets = { wide: add('wide.css', 'text/css; charset=utf-8') }
  const icon = add('icon.svg', 'image/svg+xml')
  routes.get('/favicon.ico', (_req, res) => {
    res.statusCode = 303
    res.setHeader('Location', icon)
    res.end()
  })
  return { stylesheet, sheets, icon, routes }
}
