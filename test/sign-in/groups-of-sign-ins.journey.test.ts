// Groups of the sign-in that open /admin.
import { describe, expect, it } from 'vitest'
import { messagesOf } from '../helpers/faulty.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { signInThere, start } from './at-plain-server.ts'

const settings = { ADMIN_GROUPS: 'Search Admins, /it/search' }
const adminStatus = async (browser: TestBrowser, url: string) =>
  (await browser.open(`${url}/admin`, { follow: false })).status

describe('someone whose groups are in the id_token', () => {
  it('sees /admin, and no longer once a refresh says that they left', async () => {
    const { running, server } = await start({}, { settings })
    server.claims = { groups: ['Everyone', 'Search Admins'] }
    server.tokens = { refresh_token: 'refresh' }
    const ada = await signInThere(running)
    expect(await adminStatus(ada, running.url)).toBe(200)

    server.claims = { groups: ['Everyone'] }
    // The service does not know this server's tokens, so they are refreshed.
    await ada.open(`${running.url}/onboarding`, { follow: false })
    expect(await adminStatus(ada, running.url)).toBe(404)
  })

  it('does not see /admin for groups of other names', async () => {
    const { running, server } = await start({}, { settings })
    server.claims = { groups: ['Search', 'Admins'] }
    expect(await adminStatus(await signInThere(running), running.url)).toBe(404)
  })
})

describe('someone whose groups are in userinfo', () => {
  it('sees /admin, though the id_token leaves nothing else to ask', async () => {
    const { running, server } = await start(
      { '/userinfo': ({ res }, own) => own.json(res, { sub: 'ada', roles: 'Search Admins' }) },
      {
        settings: { ...settings, OIDC_GROUPS_CLAIM: 'roles' },
        metadata: (url) => ({ userinfo_endpoint: `${url}/userinfo` }),
      },
    )
    server.claims = { name: 'Ada', email_verified: true }
    expect(await adminStatus(await signInThere(running), running.url)).toBe(200)
    expect(messagesOf(running)).not.toContain('without the claim')
  })
})
