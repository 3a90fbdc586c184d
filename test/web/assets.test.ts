// Headers of the files that pages load. An SVG opened alone could run scripts, so it has a policy of its own.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { libraryIconOf } from '../../src/company/app-icons.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createStaticAsset } from '../../src/company/static-asset.ts'
import { loadAssets } from '../../src/web/assets.ts'

const logo = createStaticAsset('/assets/company/logo', 'svg', Buffer.from('<svg><script/></svg>'))
const photo = createStaticAsset('/assets/company/photo', 'png', Buffer.alloc(9))
const { routes, icon, stylesheet, brand, scripts } = loadAssets({ ...neutralCompany, assets: [logo, photo] })
const page = "default-src 'self'"
const ALONE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
const app = express().use((_req, res, next) => next(void res.set('content-security-policy', page)), routes)

it.each([
  ['our icon', icon, 'image/svg+xml', ALONE_POLICY],
  ['a company’s SVG', logo.path, 'image/svg+xml', ALONE_POLICY],
  ['an app’s icon', libraryIconOf('github_1')?.path ?? '', 'image/svg+xml', ALONE_POLICY],
  ['a company’s PNG', photo.path, 'image/png', page],
  ['a stylesheet', stylesheet, 'text/css; charset=utf-8', page],
  ['the brand colors', brand, 'text/css; charset=utf-8', page],
  ['a script', scripts.walk, 'text/javascript; charset=utf-8', page],
])('%s is cached for a year, with its own type and policy', async (_title, path, type, policy) => {
  const { headers } = await request(app).get(path).expect(200)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': type,
    'content-security-policy': policy,
  })
})
