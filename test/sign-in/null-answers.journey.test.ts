// Token endpoints that write null for what there is not, where RFC 6749 5.1 leaves it out.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { messagesOf } from '../helpers/faulty.ts'
import { expectSignsIn, signInThere, start } from './at-plain-server.ts'

describe('a token endpoint that says null for what there is not', () => {
  const nothing = { refresh_token: null, scope: null, id_token: null, expires_in: null }

  it('signs people in, and leaves them the refresh token that they have', async () => {
    const grants: unknown[] = []
    const { running } = await start(
      {
        '/token': ({ body, res }, own) => {
          grants.push([body['grant_type'], body['refresh_token']])
          const given = grants.length === 1 ? { refresh_token: 'kept', expires_in: 1 } : { expires_in: 1 }
          own.json(res, {
            access_token: `access-${grants.length}`,
            token_type: 'Bearer',
            ...nothing,
            ...given,
          })
        },
      },
      { settings: { OIDC_SCOPE: 'email offline_access' } },
    )
    const browser = await signInThere(running)
    expect(browser.hops.at(-1)?.status, messagesOf(running)).toBe(303)
    for (let refresh = 0; refresh < 2; refresh++) {
      await pause(1_100)
      await browser.open(`${running.url}/onboarding`, { follow: false })
    }
    const refreshes = grants.slice(1)
    expect(refreshes.length).toBeGreaterThan(1)
    for (const refresh of refreshes) expect(refresh).toEqual(['refresh_token', 'kept'])
  })

  it('and gives nothing but an access token signs people in', async () => {
    const { running, server } = await start(
      {
        '/token': ({ res }, own) => own.json(res, { access_token: 'one', token_type: 'Bearer', ...nothing }),
      },
      { settings: { OIDC_SCOPE: 'email' } },
    )
    await expectSignsIn(running)
    expect(server.seen).toContain('POST /token')
  })
})
