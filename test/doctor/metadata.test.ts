// What the doctor says of where the metadata is: the same as the server does.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { found, start } from './at-plain-server.ts'

describe('the metadata', () => {
  const OPENID = '/.well-known/openid-configuration'
  const moved =
    (status: number, to: (path: string, url: string) => string): Answers[string] =>
    ({ path, res }, own) =>
      void res.writeHead(status, { location: to(path, own.url) }).end()
  const metadataAt =
    (issuer: (url: string) => string = (url) => url): Answers[string] =>
    ({ res }, own) =>
      own.json(res, {
        issuer: issuer(own.url),
        authorization_endpoint: `${own.url}/authorize`,
        token_endpoint: `${own.url}/token`,
      })

  it.each([301, 302, 307, 308])(
    'behind a redirect (%i) to the same address with a slash is found',
    async (status) => {
      const server = await start({
        [OPENID]: moved(status, (path) => `${path}/`),
        [`${OPENID}/`]: metadataAt(),
      })
      expect(await found(server, 'discovery')).toMatchObject([{ status: 'ok' }])
    },
  )

  it('is found by its full address, which is the issuer’s', async () => {
    const server = await start({})
    const full = { OIDC_ISSUER: server.url + OPENID }
    expect(await found(server, 'discovery', full)).toMatchObject([{ status: 'ok' }])
    const other = await start({ [OPENID]: metadataAt(() => 'https://login.acme.test') })
    const [finding] = await found(other, 'discovery', { OIDC_ISSUER: other.url + OPENID })
    expect(finding).toMatchObject({ status: 'fail' })
    expect(finding?.fix).toContain('https://login.acme.test')
  })

  it('of an issuer that differs in a slash says so', async () => {
    const server = await start({ [`/tenant${OPENID}`]: metadataAt((url) => `${url}/tenant/`) })
    const [finding] = await found(server, 'discovery', { OIDC_ISSUER: `${server.url}/tenant` })
    expect(finding?.says).toContain('trailing slash')
    expect(finding?.fix).toContain(`${server.url}/tenant/`)
  })

  it('that is not there is told with every address and status', async () => {
    const elsewhere = await start({})
    const server = await start({ [OPENID]: moved(302, () => `${elsewhere.url}${OPENID}`) })
    const [finding] = await found(server, 'discovery')
    expect(finding?.status).toBe('fail')
    expect(finding?.says).toContain(
      `${server.url}${OPENID} answered 302 to another origin (${elsewhere.url})`,
    )
    expect(finding?.says).toContain(`${server.url}/.well-known/oauth-authorization-server answered 404`)
    expect(elsewhere.seen).toEqual([])
  })
})

describe('a server that is plain OAuth 2.1', () => {
  const plain = { OIDC_SCOPE: 'search.read' }
  const identity = /userinfo endpoint|userinfo or introspection/
  it.each<[string, object, string[]]>([
    ['userinfo', { userinfo_endpoint: 'https://login.acme.test/userinfo' }, ['ok']],
    ['introspection only', { introspection_endpoint: 'https://login.acme.test/introspect' }, ['skip']],
    ['neither userinfo nor introspection', {}, ['warn']],
  ])('with %s is told whether people stay the same', async (_title, metadata, expected) => {
    const server = await start({}, () => ({ ...metadata }))
    const told = (await found(server, 'abilities', plain)).filter(({ says }) => identity.test(says))
    expect(told.map(({ status }) => status)).toEqual(expected)
    const isNew = told.map(({ says }) => says.includes('treats every sign-in as a new person'))
    expect(isNew).toEqual([expected[0] !== 'ok'])
    expect((await found(server, 'abilities')).filter(({ says }) => identity.test(says))).toEqual([])
  })
})
