// oauth2-mock-server (Node): signs johndoe in without a form, names no one, and takes any client.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Events, OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../helpers/running.ts'
import { openWorld, type RealServer, type World } from './world.ts'

/** Of access tokens, in place of its hour. */
const SECONDS = 2

async function startMockServer(): Promise<RealServer> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(await freePort(), '127.0.0.1')
  const { url: issuer = '' } = server.issuer
  server.service.on(Events.BeforeTokenSigning, ({ payload }) => {
    payload.exp = Number(payload.iat) + SECONDS
  })
  server.service.on(Events.BeforeResponse, ({ body }) => {
    if (typeof body === 'object') Object.assign(body, { expires_in: SECONDS })
  })
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  return {
    issuer,
    settings: { OIDC_CLIENT_AUTH: 'none', OIDC_CLIENT_SECRET: '', OIDC_SCOPE: 'openid' },
    isValid: (token) =>
      jwtVerify(token, keys, { issuer }).then(
        () => true,
        () => false,
      ),
    close: () => server.stop(),
  }
}

let world: World
beforeAll(async () => {
  world = await openWorld(startMockServer)
})
afterAll(async () => await world?.close())

describe('oauth2-mock-server', () => {
  it("people sign in, their tokens are refreshed twice, and signing out ends the server's session", async () => {
    const ada = await world.arrive()
    await ada.page.goto(world.url)
    for (const _refresh of [1, 2]) {
      await ada.reads('0 of 5 connected')
      await sleep(SECONDS * 1000)
      await ada.page.goto(world.url)
    }
    world.expectRefreshed(2)
    await ada.choose('button', 'Sign out')
    await ada.page.locator('a[href="/sign-out/continue"]').click()
    await ada.reads('You’re signed out')
    expect(ada.page.url()).toBe(`${world.url}/signed-out`)
    expect(ada.complaints).toEqual([])
    await ada.leave()
  })

  it('the doctor tells what is wrong, and what may be', async () => {
    expect(await world.doctor()).toEqual([
      "warn: The server doesn't advertise refresh tokens (grant_types_supported): without one, people have to sign in again each time their access token expires.",
    ])
    const basic = { OIDC_CLIENT_AUTH: 'client_secret_basic', OIDC_CLIENT_SECRET: 'x'.repeat(20) }
    expect(await world.doctor(basic)).toContain(
      "fail: The server doesn't support client_secret_basic (OIDC_CLIENT_AUTH).",
    )
  })
})
