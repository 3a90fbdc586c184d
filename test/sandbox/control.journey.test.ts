// The control page and its JSON, and the switches that change responses of every server.
import { expect, it } from 'vitest'
import { call, check, jsonOf, sharedSandbox } from './client-calls.ts'

const sandbox = await sharedSandbox()

const control = (method: string, path: string, body?: string | URLSearchParams, accept = '*/*') =>
  fetch(sandbox.urls.control + path, { method, headers: { accept }, body: body ?? null, redirect: 'manual' })

it('the control panel shows every switch, every person and the last requests', async () => {
  await check(sandbox, 'ada')
  const text = await (await control('GET', '/')).text()
  for (const name of Object.keys(sandbox.switches.get())) expect(text).toContain(`name="${name}"`)
  for (const part of ['ada@acme.example', 'POST checkdatasourceauth', 'for development only'])
    expect(text).toContain(part)
})

it('a script changes switches as JSON, and its error names the invalid value', async () => {
  const patch = (body: unknown) => control('PATCH', '/control.json', JSON.stringify(body))
  expect((await patch({ denyAll: true })).status).toBe(200)
  const refused = await patch({ denyAll: 'yes', nonsense: 1 })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('denyAll')])
  const shown = await jsonOf(await control('GET', '/control.json'))
  expect(shown['switches']).toMatchObject({ denyAll: true })
})

it('the form of the control panel changes switches', async () => {
  sandbox.switches.set({ answers: { search: { status: 500 } }, denyAll: true })
  const answers = '{"jwks":{"status":503}}'
  const form = { autoConsent: 'on', consentDelaySeconds: '40', answers, tenantRedirectUrl: '' }
  const sent = await control('POST', '/control/switches', new URLSearchParams(form), 'text/html')
  expect(sent.status).toBe(303)
  const changed = { autoConsent: true, denyAll: false, consentDelaySeconds: 40, tenantRedirectUrl: null }
  expect(sandbox.switches.get()).toMatchObject(changed)
  expect(sandbox.switches.get().answers).toEqual({ jwks: { status: 503 } })
})

it('a preset replaces the previous one, so that one click shows one problem', async () => {
  const press = async (name: string) => (await control('POST', `/control/preset/${name}`)).status
  const get = () => sandbox.switches.get()
  expect(await press('deny')).toBe(200)
  expect(get()).toMatchObject({ denyAll: true })
  expect(await press('slow')).toBe(200)
  expect(get()).toMatchObject({ denyAll: false, consentDelaySeconds: 30 })
  expect(await press('well')).toBe(200)
  expect(get()).toMatchObject({ denyAll: false, consentDelaySeconds: 0 })
  expect(await press('nonsense')).toBe(404)
})

it('a script authorizes apps, lists and clears requests, and resets', async () => {
  const slack = new URLSearchParams({ person: 'ada', instance: 'slack_1' })
  await control('POST', '/control/authorize', slack)
  expect(sandbox.state('ada')['slack_1']).toBe('authorized')
  await check(sandbox, 'ada')
  expect(await (await control('GET', '/requests.json')).json()).toHaveLength(1)
  await control('DELETE', '/requests.json')
  expect(sandbox.requests).toEqual([])
  await control('POST', '/control/reset')
  expect(sandbox.state('ada')['slack_1']).toBe('waiting')
})

it('the control panel refuses requests from pages of other sites', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  const sent = await fetch(`${sandbox.urls.control}/control/reset`, { method: 'POST', headers })
  expect(sent.status).toBe(403)
})

const search = () => call(sandbox, 'search', { token: 'any', body: {} })

it('an override replaces a response of any operation, after `skip` calls and `times` times', async () => {
  const headers = { 'retry-after': '7' }
  const answer = { status: 429, body: 'slow down', headers, skip: 1, times: 1 }
  sandbox.switches.set({ answers: { search: answer } })
  for (let count = 0; count < 3; count++) await search()
  expect(sandbox.requests.map(({ status }) => status)).toEqual([401, 429, 401])
})

it('an override replaces a response of both authorization servers or of one', async () => {
  sandbox.switches.set({ answers: { jwks: { status: 503 }, 'externalIdp.discovery': { status: 500 } } })
  const { authorizationServer, externalIdp } = sandbox.urls
  const paths = ['/jwks', '/.well-known/openid-configuration']
  const addresses = [authorizationServer, externalIdp].flatMap((url) => paths.map((path) => url + path))
  const statuses = await Promise.all(addresses.map(async (address) => (await fetch(address)).status))
  expect(statuses).toEqual([503, 200, 503, 500])
})

it('an override can be JSON, truncated, dripped, or a closed connection', async () => {
  sandbox.switches.set({ answers: { search: { body: { results: [] } } } })
  expect(await (await search()).json()).toEqual({ results: [] })
  sandbox.switches.set({ answers: { search: { body: 'a long answer', truncate: true } } })
  await expect(search().then((response) => response.text())).rejects.toThrow('terminated')
  sandbox.switches.set({ answers: { search: { body: 'abc', drip: true } } })
  const before = performance.now()
  expect(await (await search()).text()).toBe('abc')
  expect(performance.now() - before).toBeGreaterThan(500)
  sandbox.switches.set({ answers: { search: { close: true } } })
  await expect(search()).rejects.toThrow('fetch failed')
})

it('an override of an unknown operation is refused', () => {
  expect(() => sandbox.switches.set({ answers: { serach: { status: 500 } } })).toThrow('unknown operation')
  expect(() => sandbox.count('serach')).toThrow('no operation')
})

it('the presets cut only connections to the service, or to both authorization servers', async () => {
  const jwks = (name: 'authorizationServer' | 'externalIdp') => fetch(`${sandbox.urls[name]}/jwks`)
  await control('POST', '/control/preset/sign-in-down')
  for (const name of ['authorizationServer', 'externalIdp'] as const)
    await expect(jwks(name)).rejects.toThrow('fetch failed')
  expect(await check(sandbox, 'bob')).toHaveLength(2)
  await control('POST', '/control/preset/down')
  expect((await jwks('authorizationServer')).status).toBe(200)
  await expect(check(sandbox, 'bob')).rejects.toThrow('fetch failed')
})
