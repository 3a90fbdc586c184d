// Groups of the sign-in that open /admin, and what is kept of them.
import { describe, expect, it } from 'vitest'
import { administrators } from '../../src/admin/routes.ts'
import { createGroupsNote, groupsIn } from '../../src/sign-in/groups.ts'
import { messagesOf } from '../helpers/faulty.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { signInThere, start } from './at-plain-server.ts'

const rule = { claim: 'groups', wanted: ['Search Admins', '/it/search'] }

describe('the groups of a sign-in', () => {
  it.each<[string, unknown[], string[] | undefined]>([
    ['of a list', [['Everyone', 'Search Admins']], ['Search Admins']],
    ['of one name', ['/it/search'], ['/it/search']],
    ['of two sources', [['/it/search'], ['Search Admins']], ['Search Admins', '/it/search']],
    ['in other spellings', [['search admins', ' Search Admins', 'it/search']], []],
    ['that are no names', [[{ name: 'Search Admins' }, null, 7]], []],
    ['that are part of one name', ['Search Admins,/it/search'], []],
    ['of a sign-in without the claim', [undefined], undefined],
  ])('%s are kept where ADMIN_GROUPS names them', (_what, said, kept) => {
    expect(
      groupsIn(
        said.map((groups) => ({ groups })),
        rule,
      ),
    ).toEqual(kept)
  })

  it('are not looked at where ADMIN_GROUPS names none', () => {
    expect(groupsIn([{ groups: ['a'] }], { claim: 'groups', wanted: [] })).toBeUndefined()
  })

  it('count no longer once the setting drops them', () => {
    const user = { issuer: 'https://login.acme.example', subject: 'ada', groups: ['Search Admins'] }
    expect(administrators([], ['Search Admins'])(user)).toBe(true)
    expect(administrators([], ['/it/search'])(user)).toBe(false)
    expect(administrators(['grace@acme.example'])(user)).toBe(false)
  })

  it('are missed in the log once, with the reason that Microsoft Entra has', () => {
    const told: string[] = []
    const note = createGroupsNote(rule, { warn: (_fields, words) => told.push(words) })
    note([{ groups: [] }])
    expect(told).toEqual([])
    for (let count = 0; count < 3; count++) {
      note([{ _claim_names: { groups: 'src1' } }, {}])
      note([{ hasgroups: true }])
      note([{ sub: 'ada' }])
    }
    expect(told).toEqual([expect.stringMatching(/app roles/), expect.stringMatching(/without the claim/)])
  })
})

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
