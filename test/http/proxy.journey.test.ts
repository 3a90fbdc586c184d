// Errors of the forward proxy of HTTPS_PROXY.
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ServiceClient } from '../../src/client-api/client.ts'
import { useProxy } from '../../src/http/proxy.ts'
import { certificatesCheck } from '../../src/doctor/certificates.ts'
import { createFetch } from '../../src/sign-in/server/configuration.ts'
import { useFolder } from '../helpers/folder.ts'
import { listen } from '../helpers/listen.ts'
import { makeCertificates, pem } from '../helpers/tls.ts'
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
const failureOf = (call: Promise<unknown>): Promise<unknown> => call.then(() => undefined).catch(Object)

/** The error of a call of the service. */
async function failedCheck(proxy: string, timeLimitMs = 10_000) {
  useProxy({ HTTPS_PROXY: proxy })
  const client = new ServiceClient({ baseUrl: 'https://service.example', timeLimitMs })
  open.push(() => client.close())
  return await failureOf(client.checkDatasourceAuth({ kind: 'user-token', token: 'abc' }))
}

it.each([
  ['HTTP/1.1 407 No\r\n\r\n', 'requires a username and password (407)'],
  ['HTTP/1.1 401 No\r\n\r\n', 'requires a username and password (401)'],
  ['HTTP/1.1 403 No\r\n\r\n', 'refuses to connect to service.example (403)'],
  ['HTTP/1.1 502 No\r\n\r\n', 'cannot reach service.example (502)'],
  ['', 'cannot be used: connection closed'],
])('the error about a proxy that responds %j names the setting', async (answer, words) => {
  const { name, connects } = await startProxy(answer)
  expect(await failedCheck(`http://${name}`)).toMatchObject({
    code: 'service_unavailable',
    detail: `checkdatasourceauth: the proxy ${name} ${words}: see HTTPS_PROXY and NO_PROXY`,
  })
  expect(connects).toEqual([{ target: 'service.example:443', authorization: undefined }])
})

it('a proxy gets the user name and password of HTTPS_PROXY, which no error repeats', async () => {
  const { name, connects } = await startProxy('HTTP/1.1 407 No\r\n\r\n')
  const error = await failedCheck(`http://ada%40acme:${PASSWORD}@${name}`)
  expect(error).toMatchObject({ detail: expect.stringContaining('rejects the username and password (407)') })
  expect(connects[0]?.authorization).toBe(`Basic ${btoa(`ada@acme:${PASSWORD}`)}`)
  expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain(PASSWORD)
})

it('an unreachable or hanging proxy is named, too, however short the timeout is', async () => {
  const hanging = await startProxy()
  const detail = expect.stringContaining(`the proxy ${hanging.name} cannot be used: timed out`)
  expect(await failedCheck(`http://${hanging.name}`, 300)).toMatchObject({ detail })
  const away = await startProxy()
  away.close()
  const refused = expect.stringContaining(`the proxy ${away.name} cannot be used: connection refused`)
  expect(await failedCheck(`http://${away.name}`)).toMatchObject({ detail: refused })
})

it('a proxy also fails calls of the authorization server', async () => {
  const { name, connects } = await startProxy('HTTP/1.1 403 No\r\n\r\n')
  useProxy({ HTTPS_PROXY: `http://${name}` })
  const headers = {}
  const init = { body: null, headers, method: 'GET', redirect: 'manual' } as const
  await failureOf(createFetch(1)('https://login.example/own', init))
  await failureOf(fetch('https://login.example:8443/global'))
  expect(connects.map(({ target }) => target)).toEqual(['login.example:443', 'login.example:8443'])
})

const folder = useFolder()

it('the doctor reads a certificate through the proxy', async () => {
  makeCertificates(folder, { service: ['service.example'] })
  const service = createTlsServer(pem(folder, 'service'))
  const port = await listen(service)
  const proxy = createServer().on('connect', (_req, socket: Socket) => {
    const tunnel = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    for (const end of [socket, tunnel]) end.on('error', () => {})
  })
  open.push(
    () => service.close(),
    () => proxy.close(),
  )
  useProxy({ HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}` })
  const found = await certificatesCheck.collect({ SERVICE_BASE_URL: 'https://service.example' })
  expect(found).toEqual([
    { setting: 'SERVICE_BASE_URL', host: 'service.example', endsAt: expect.any(Number) },
  ])
})
