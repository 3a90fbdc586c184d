// The company's images and colors are served from this origin, and a faulty file stops the start.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadCompany } from '../../src/company/read-company.ts'
import { libraryIconOf } from '../../src/company/app-icons.ts'
import { spawnOnramp, until } from '../helpers/processes.ts'
import { freePort, run, signIn } from '../helpers/running.ts'
import { companyFolder, png, svg } from './company-folder.ts'
import { shared } from '../helpers/shared.ts'

const ACME = new URL('../../examples/acme/company.yaml', import.meta.url).pathname
const acme = loadCompany(ACME)

const running = shared(() => run({ settings: { COMPANY_FILE: ACME } }))

const get = (path: string) => fetch(`${running.url}${path}`, { redirect: 'manual' })

it('a company’s logos are cached for a year and run no script when opened alone', async () => {
  const paths = [...acme.assets.map(({ path }) => path), libraryIconOf('github_1')?.path ?? '']
  expect(paths).toHaveLength(4)
  for (const path of paths) {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toContain('<svg')
  }
})

it('a company’s icon is on the card of the next app, and is the favicon', async () => {
  const ada = await signIn(running, 'ada')
  expect(ada.page.body).toContain(`<img src="${acme.icon?.path}"`)
  expect((await get('/favicon.ico')).headers.get('location')).toBe(acme.icon?.path)
})

it('only images that the company file names are served', async () => {
  for (const name of ['company.yaml', 'logo.svg', '..%2Flogo.svg'])
    expect((await get(`/assets/company/${name}`)).status, name).toBe(404)
})

it('an SVG with a script is served as an image, and can’t run', async () => {
  using folder = companyFolder()
  const drawing = svg('<script>alert("of the SVG")</script>')
  folder.write('logo.svg', drawing)
  const file = folder.write('company.yaml', 'name: Acme\nlogo: { light: logo.svg, icon: logo.svg }\n')
  const scripted = await run({ settings: { COMPANY_FILE: file } })

  try {
    const { page } = await signIn(scripted, 'ada')
    const [, path = ''] = /<img src="(\/assets\/company\/logo[^"]+)"/.exec(page.body) ?? []
    expect(page.body).not.toContain('of the SVG')
    const response = await fetch(`${scripted.url}${path}`)
    expect(await response.text()).toBe(drawing)
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    )
  } finally {
    await scripted.close()
  }
})

it('the brand stylesheet is served in the smallest encoding that the browser accepts', async () => {
  const home = await (await get('/signed-out')).text()
  const [path = ''] = /\/assets\/company\/brand[^"]*/.exec(home) ?? []
  expect(await (await get(path)).text()).toContain('--brand: light-dark(#0b6e5f, #4fd1b5);')
  const codingFor = async (accepted: string) => {
    const response = await fetch(`${running.url}${path}`, { headers: { 'accept-encoding': accepted } })
    return response.headers.get('content-encoding')
  }
  expect(await codingFor('gzip, deflate, br, zstd')).toBe('br')
  expect(await codingFor('gzip, br;q=0')).toBe('gzip')
  expect(await codingFor('identity')).toBeNull()
  expect(await codingFor(`${'x,'.repeat(250)}gzip`)).toBeNull()
})

it('npm start with a faulty company file prints each fault, and starts nothing', async () => {
  using folder = companyFolder()
  folder.write('big.png', png(300_000))
  const file = folder.write(
    'company.yaml',
    "nam: Acme\ncolor: { light: '#7fd0c0' }\nlogo: { light: big.png }\n",
  )
  const data = join(file, '..', 'data')
  const port = String(await freePort())
  const settings = { ...running.env, PORT: port, DATA_DIR: data, COMPANY_FILE: file }
  const onramp = spawnOnramp(settings)
  await until(() => onramp.hasEnded(), 'its end')

  const { code } = await onramp.end('SIGKILL')

  expect(code).toBe(78)
  expect(onramp.output()).toMatch(/^onramp cannot start: 3 faults in COMPANY_FILE need to be fixed:$/m)
  for (const place of [
    'company.yaml:1:1 nam',
    'company.yaml:2:10 color.light',
    'company.yaml:3:9 logo.light',
  ])
    expect(onramp.output()).toContain(`  - ${place}: `)
  expect(onramp.output()).not.toMatch(/listens|at .*\.ts/)
  expect(() => rmSync(data)).toThrow('ENOENT')
})
