// The forward proxy of HTTPS_PROXY: what goes through it, and what is said when it does not open the way.
import { afterEach, describe, expect, it } from 'vitest'
import { createClientApi } from '../../src/client-api/client.ts'
import { proxyTo, useProxy } from '../../src/client-api/proxy.ts'
import { createFetch } from '../../src/sign-in/server/configuration.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { stubProxy } from './stub-proxy.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  useProxy({})
  for (const close of open.splice(0)) await close()
})

async function startProxy(answer?: string) {
  const proxy = await stubProxy(answer)
  open.push(proxy.close)
  return proxy
}

const PASSWORD = 'kept-out-of-everything'
const env = {
  PUBLIC_URL: 'https://onramp.acme.example',
  SERVICE_BASE_URL: 'https://service.example',
  OIDC_ISSUER: 'https://login.example',
  SESSION_SECRET: 'x'.repeat(32),
}
const isProxied = (url: string, NO_PROXY = '', HTTPS_PROXY = 'http://proxy.acme.example:3128') => {
  useProxy(loadSettings({ ...env, HTTPS_PROXY, NO_PROXY }))
  return proxyTo(new URL(url)) === 'proxy.acme.example:3128'
}

describe('what goes through the proxy', () => {
  it('is every other machine, and never this one', () => {
    expect(isProxied('https://service.example/tenant')).toBe(true)
    expect(isProxied('https://10.1.2.3')).toBe(true)
    for (const own of ['https://localhost:8443', 'http://127.0.0.7', 'https://[::1]'])
      expect(isProxied(own), own).toBe(false)
    expect(isProxied('https://service.example', '', '')).toBe(false)
  })

  it.each([
    ['*', 'https://service.example', 'any'],
    ['example', 'https://service.example', 'any below a name'],
    ['service.example', 'https://SERVICE.example.', 'the name itself'],
    ['.service.example', 'https://service.example', 'the name behind a dot'],
    ['*.example', 'https://a.service.example', 'any below, with a star'],
    ['a.example, service.example:8443', 'https://service.example:8443', 'a name with its port'],
    ['service.example:443 b.example', 'https://service.example', 'a name with the usual port'],
    ['10.0.0.0/8', 'https://10.20.30.40', 'a range'],
    ['10.1.2.3', 'https://10.1.2.3:8443', 'an address'],
    ['fd00::/8', 'https://[fd12:3456::1]', 'a range of IPv6'],
    ['fd12::1', 'https://[fd12:0:0::1]', 'an address of IPv6'],
    ['[fd12::1]:8443', 'https://[fd12::1]:8443', 'an address of IPv6 with its port'],
  ])('leaves out what NO_PROXY=%s has: %s (%s)', (exempt, url) => {
    expect(isProxied(url, exempt)).toBe(false)
  })

  it.each([
    ['service.example', 'https://myservice.example'],
    ['service.example:8443', 'https://service.example'],
    ['a.service.example', 'https://service.example'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/8', 'https://service.example'],
    ['[fd12::1]:8443', 'https://[fd12::1]'],
  ])('keeps what NO_PROXY=%s does not have: %s', (exempt, url) => {
    expect(isProxied(url, exempt)).toBe(true)
  })

  it('is the same with HTTP_PROXY alone, and in lower case, which counts first', () => {
    const through = (proxies: Record<string, string>) => {
      useProxy(loadSettings({ ...env, ...proxies }))
      return proxyTo(new URL(env.SERVICE_BASE_URL))
    }
    expect(through({ HTTP_PROXY: 'http://a.example:1' })).toBe('a.example:1')
    expect(through({ HTTP_PROXY: 'http://a.example:1', https_proxy: 'http://b.example:2' })).toBe(
      'b.example:2',
    )
    expect(through({ HTTPS_PROXY: 'http://a.example:1', https_proxy: 'http://b.example:2' })).toBe(
      'b.example:2',
    )
    expect(through({ HTTPS_PROXY: 'http://a.example:1', https_proxy: '' })).toBe('a.example:1')
  })
})

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  )

/** What a call of the service fails with. */
async function failedCheck(proxy: string, timeLimitMs = 10_000) {
  useProxy(loadSettings({ ...env, HTTPS_PROXY: proxy }))
  const client = createClientApi({ baseUrl: env.SERVICE_BASE_URL, timeLimitMs })
  open.push(() => client.close())
  return await failureOf(client.checkDatasourceAuth({ kind: 'user-token', token: 'abc' }))
}

describe('a proxy that does not open the way', () => {
  it.each([
    ['HTTP/1.1 407 No\r\n\r\n', 'asks for a username and password (407)'],
    ['HTTP/1.1 401 No\r\n\r\n', 'asks for a username and password (401)'],
    ['HTTP/1.1 403 No\r\n\r\n', 'refuses to connect to service.example (403)'],
    ['HTTP/1.1 502 No\r\n\r\n', 'cannot reach service.example (502)'],
    ['', 'cannot be used: connection closed'],
  ])('and says %j is named, with the settings', async (answer, words) => {
    const { name, asked } = await startProxy(answer)
    expect(await failedCheck(`http://${name}`)).toMatchObject({
      code: 'service_unavailable',
      detail: `checkdatasourceauth: the proxy ${name} ${words}: see HTTPS_PROXY and NO_PROXY`,
    })
    expect(asked).toEqual([{ target: 'service.example:443', authorization: undefined }])
  })

  it('gets the user and password of its address, which no error repeats', async () => {
    const { name, asked } = await startProxy('HTTP/1.1 407 No\r\n\r\n')
    const error = await failedCheck(`http://ada%40acme:${PASSWORD}@${name}`)
    expect(error).toMatchObject({
      detail: expect.stringContaining('rejects the username and password (407)'),
    })
    expect(asked[0]?.authorization).toBe(`Basic ${btoa(`ada@acme:${PASSWORD}`)}`)
    expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain(PASSWORD)
  })

  it('because it is away or hangs is named too, however little time the call has', async () => {
    const hanging = await startProxy()
    const detail = expect.stringContaining(`the proxy ${hanging.name} cannot be used: timed out`)
    expect(await failedCheck(`http://${hanging.name}`, 300)).toMatchObject({ detail })
    const away = await startProxy()
    away.close()
    const refused = expect.stringContaining(`the proxy ${away.name} cannot be used: connection refused`)
    expect(await failedCheck(`http://${away.name}`)).toMatchObject({ detail: refused })
  })

  it('fails calls of the authorization server in the same way, by every means that make them', async () => {
    const { name, asked } = await startProxy('HTTP/1.1 403 No\r\n\r\n')
    useProxy({ HTTPS_PROXY: `http://${name}` })
    const headers = {}
    const init = { body: null, headers, method: 'GET', redirect: 'manual' } as const
    await failureOf(createFetch(1)('https://login.example/own', init))
    await failureOf(fetch('https://login.example:8443/global'))
    expect(asked.map(({ target }) => target)).toEqual(['login.example:443', 'login.example:8443'])
  })
})
