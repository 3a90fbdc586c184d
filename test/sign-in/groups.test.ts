// Which groups of a sign-in are kept: those of ADMIN_GROUPS.
import { describe, expect, it } from 'vitest'
import { administrators } from '../../src/admin/routes.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { createGroupsNote, groupRuleOf, groupsIn } from '../../src/sign-in/groups.ts'

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

  it('are those that the settings name', () => {
    const named = groupRuleOf({ OIDC_GROUPS_CLAIM: 'roles', ADMIN_GROUPS: ['a'] } as unknown as Settings)
    expect(named).toEqual({ claim: 'roles', wanted: ['a'] })
    expect(groupRuleOf({ OIDC_GROUPS_CLAIM: 'roles' } as Settings)).toEqual({ claim: 'roles', wanted: [] })
  })
})

describe('a sign-in without the claim', () => {
  const TOO_MANY = expect.stringMatching(/more groups than Microsoft Entra.*app roles/) as string
  const ABSENT = expect.stringMatching(/without the claim groups/) as string

  function noting(wanted = rule.wanted) {
    const told: [object, string][] = []
    const note = createGroupsNote(
      { ...rule, wanted },
      { warn: (fields, words) => told.push([fields, words]) },
    )
    return { note, told }
  }

  it.each([
    ['Microsoft Entra left out too many', { hasgroups: true }, TOO_MANY],
    ['Microsoft Entra keeps them elsewhere', { _claim_names: { groups: 'src1' } }, TOO_MANY],
    ['it keeps other ones elsewhere', { _claim_names: { roles: 'src1' } }, ABSENT],
    ['it has nothing elsewhere', { _claim_names: null }, ABSENT],
    ['the list of those elsewhere is none', { _claim_names: 'groups' }, ABSENT],
    ['it has few groups', { hasgroups: 'true' }, ABSENT],
    ['nothing is said', { sub: 'ada' }, ABSENT],
  ])('is told with the reason: %s', (_why, claims, words) => {
    const { note, told } = noting()
    note([{ sub: 'ada' }, claims])
    expect(told).toEqual([[{ claim: 'groups' }, words]])
  })

  it('is told once for each reason', () => {
    const { note, told } = noting()
    for (let count = 0; count < 3; count++) {
      note([{ hasgroups: true }])
      note([{ sub: 'ada' }])
    }
    expect(told.map(([, words]) => words)).toEqual([TOO_MANY, ABSENT])
  })

  it('is none of the log’s business where one source has it, or none is wanted', () => {
    const { note, told } = noting()
    note([{ groups: [] }])
    note([{ sub: 'ada' }, { groups: ['Everyone'] }])
    const unwanted = noting([])
    unwanted.note([{ sub: 'ada' }])
    expect([...told, ...unwanted.told]).toEqual([])
  })
})
