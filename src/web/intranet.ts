// For pages of the intranet: /widget.js, and CORS for /api/status, restricted to RETURN_TO_ORIGINS. A browser sends the
// cookie only from the same site (SameSite=Lax).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Router } from 'express'
import type { Company } from '../company/company.ts'
import { createBrand } from './brand.ts'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'
import { VIEWS_FOLDER } from './views.ts'

export function createIntranetRoutes(
  allowedOrigins: readonly string[],
  languages: Languages,
  company: Company,
): Router {
  const router = Router()
  const widget = widgetOf(languages, company)

  router.get('/widget.js', (_req, res) => {
    // Helmet's default is same-origin, but the intranet is another origin.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    res.setHeader('Cache-Control', 'public, max-age=3600')
    res.setHeader('Content-Type', 'text/javascript; charset=utf-8')
    res.end(widget)
  })

  router.all('/api/status', (req, res, next) => {
    const from = req.get('origin')
    res.vary('Origin')
    if (from !== undefined && allowedOrigins.includes(from)) {
      res.setHeader('Access-Control-Allow-Origin', from)
      res.setHeader('Access-Control-Allow-Credentials', 'true')
    }
    if (req.method !== 'OPTIONS') return next()
    res.setHeader('Access-Control-Allow-Methods', 'GET')
    res.setHeader('Access-Control-Allow-Headers', 'Accept')
    res.setHeader('Access-Control-Max-Age', '600')
    res.statusCode = 204
    res.end()
  })

  return router
}

const PLACEHOLDER = "'given by the server'"

/** views/assets/widget.js with the languages and the company's colors. Its sentences come from /api/status. */
function widgetOf(languages: Languages, company: Company): Buffer {
  const script = readFileSync(join(VIEWS_FOLDER, 'assets', 'widget.js'), 'utf8')
  const { light, dark } = company.color
  const brandIn = createBrand(company)
  const textsIn = (t: Texts) => ({ title: t('widget.title'), search: brandIn(t).search?.label })
  const data = {
    texts: Object.fromEntries(languages.offered.map(({ tag }) => [tag, textsIn(languages.byTag(tag))])),
    brand: [light.brand, dark.brand],
    onBrand: [light.onBrand, dark.onBrand],
    strong: [light.strong, dark.strong],
    searchUrl: company.links.search?.url,
  }
  const [before, after, ...more] = script.split(PLACEHOLDER)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('views/assets/widget.js must contain the data placeholder once')
  return Buffer.from(before + JSON.stringify(data) + after)
}
