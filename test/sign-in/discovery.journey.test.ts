// Where the metadata of the authorization server is, and how its issuer is written: as servers have it.
import { None } from 'openid-client'
import pino from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthorizationServer } from '../../src/sign-in/server/authorization-server.ts'
import { discoverMetadata, isAccepted, placesOf } from '../../src/sign-in/server/discovery.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { messagesOf, runUnlimited } from '../helpers/faulty.ts'
import { startPlainServer, type Answers, type PlainServer } from '../helpers/plain-authorization-server.ts'
import type { Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function start(answers: Answers, issuerOf: (server: PlainServer) => string) {
  const server = await startPlainServer(answers)
  closers.push(() => server.close())
  const running = await runUnlimited({ settings: { OIDC_ISSUER: issuerOf(server) } })
  closers.push(() => running.close())
  return { server, running }
}

const metadataOf = (issuer: string, url: string) => ({
  issuer,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/keys`,
  registration_endpoint: null,
})
const metadataAt =
  (path = ''): Answers[string] =>
  ({ res }, own) =>
    own.json(res, metadataOf(own.url + path, own.url))
const moved =
  (to: (path: string, own: PlainServer) => string, status = 301): Answers[string] =>
  ({ path, res }, own) =>
    void res.writeHead(status, { location: to(path, own) }).end()
const slash = (path: string) => `${path}/`

const signInAt = ({ url }: Running) => new TestBrowser().open(`${url}/sign-in`, { follow: false })

describe('the metadata of the authorization server', () => {
  it.each<[string, Answers, (server: PlainServer) => string]>([
    ['behind a slash', { [OPENID]: moved(slash), [`${OPENID}/`]: metadataAt() }, ({ url }) => url],
    [
      'behind a slash and an absolute address',
      { [OPENID]: moved((path, { url }) => `${url}${path}/`, 308), [`${OPENID}/`]: metadataAt() },
      ({ url }) => url,
    ],
    [
      'behind two redirects, in the way of RFC 8414, with a path',
      {
        [`${OAUTH}/tenant`]: moved(slash, 302),
        [`${OAUTH}/tenant/`]: moved(() => '/metadata', 307),
        '/metadata': metadataAt('/tenant'),
        [OPENID]: ({ res }) => void res.writeHead(404).end(),
      },
      ({ url }) => `${url}/tenant`,
    ],
    ['by its full address', {}, ({ url }) => url + OPENID],
    [
      'by its full address with a path',
      { [`/a/b${OPENID}`]: metadataAt('/a/b') },
      ({ url }) => `${url}/a/b${OPENID}`,
    ],
    ['by its full address (RFC 8414)', { [`${OAUTH}/a`]: metadataAt('/a') }, ({ url }) => `${url}${OAUTH}/a`],
    [
      'by its full address, of an issuer that ends in a slash',
      { [`/a${OPENID}`]: metadataAt('/a/') },
      ({ url }) => `${url}/a${OPENID}`,
    ],
  ])('is found %s', async (_title, answers, issuerOf) => {
    const { server, running } = await start(answers, issuerOf)
    const { status, location } = await signInAt(running)
    expect([status, messagesOf(running)]).toEqual([303, expect.anything()])
    expect(location).toContain(`${server.url}/authorize?`)
  })

  it.each<[string, Answers, (server: PlainServer) => string, RegExp]>([
    [
      'names another issuer behind the slash',
      { [OPENID]: moved(slash), [`${OPENID}/`]: metadataAt('/other') },
      ({ url }) => url,
      /names another issuer/,
    ],
    [
      'names another issuer at its full address',
      { [OPENID]: metadataAt('/other') },
      ({ url }) => url + OPENID,
      /names another issuer/,
    ],
    [
      'differs in the slash at the end',
      { [`/a${OPENID}`]: metadataAt('/a/') },
      ({ url }) => `${url}/a`,
      /only in the slash at the end/,
    ],
    [
      'goes round in circles',
      { [OPENID]: moved((path) => path) },
      ({ url }) => url,
      /openid-configuration answered 301 once too often.*oauth-authorization-server answered 404/,
    ],
  ])('is not used where it %s, and the log says where and why', async (_title, answers, issuerOf, says) => {
    const { server, running } = await start(answers, issuerOf)
    expect((await signInAt(running)).status).toBe(503)
    expect(messagesOf(running)).toMatch(says)
    expect(messagesOf(running)).toContain(server.url)
    expect(messagesOf(running)).toContain('OIDC_ISSUER')
  })

  it('is not fetched from another origin', async () => {
    const other = await startPlainServer()
    closers.push(() => other.close())
    const { running } = await start({ [OPENID]: moved((path) => other.url + path) }, ({ url }) => url)
    expect((await signInAt(running)).status).toBe(503)
    expect(messagesOf(running)).toContain('answered 301 to another origin')
    expect(other.seen).toEqual([])
  })
})

describe("Microsoft's addresses for every tenant", () => {
  it('are refused in words that say what to set, because each id_token names another issuer', async () => {
    const ofEvery = 'https://login.microsoftonline.com/{tenantid}/v2.0'
    const answers: Answers = {
      [OPENID]: ({ res }, own) => own.json(res, metadataOf(ofEvery, own.url)),
    }
    const { running } = await start(answers, ({ url }) => url)
    expect((await signInAt(running)).status).toBe(503)
    expect(messagesOf(running)).toContain("stands for every tenant: OIDC_ISSUER has to be your tenant's own")
  })

  it.each([
    ['organizations', '{tenantid}', false],
    ['common', '{tenantid}', false],
    ['acme.example', '11111111-2222-3333-4444-555555555555', true],
  ])('/%s with the issuer of %s: accepted is %s', (tenant, named, isRight) => {
    const setting = `https://login.microsoftonline.com/${tenant}/v2.0`
    const where = placesOf(setting)
    const [place] = where.places
    if (place === undefined) throw new Error('no place')
    expect(isAccepted(`https://login.microsoftonline.com/${named}/v2.0`, where, place)).toBe(isRight)
  })
})

describe('metadata that lacks what a sign-in needs', () => {
  const found = async (lacking: string, scope: string) => {
    const plain = await startPlainServer({}, () => ({ [lacking]: null }))
    closers.push(() => plain.close())
    return await discoverMetadata(plain.url, scope, 2)
  }

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'is refused by name: %s',
    async (name) => {
      await expect(found(name, 'openid email')).rejects.toMatchObject({
        code: 'sign_in_unavailable',
        detail: expect.stringContaining(`metadata has no ${name}: `) as string,
      })
    },
  )

  it('needs no keys where no id_token is asked for', async () => {
    expect(await found('jwks_uri', 'search')).not.toHaveProperty('jwks_uri')
  })
})

describe('after a signing key that is not known', () => {
  it('what is known of the authorization server goes on being used, without the keys', async () => {
    const plain = await startPlainServer()
    closers.push(() => plain.close())
    const client = { current: async () => ({ metadata: { client_id: 'onramp' }, auth: None() }) }
    const settings = { OIDC_ISSUER: plain.url, OIDC_SCOPE: 'openid' } as Settings
    const server = createAuthorizationServer({
      settings,
      client,
      log: pino({ enabled: false }),
      now: Date.now,
    })
    const before = await server.configuration()
    plain.answers[OPENID] = () => {}
    server.forgetKeys()
    expect(server.isReady()).toBe(true)
    const after = await server.configuration()
    expect(after).not.toBe(before)
    expect(after.serverMetadata()).toMatchObject({ issuer: plain.url })
    server.close()
  })
})
