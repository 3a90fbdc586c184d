// Which column of a list is what, by its name; and what a row makes of a person.
import { describe, expect, it } from 'vitest'
import {
  columnsOf,
  jsonPerson,
  languageOf,
  personOf,
  UnreadablePeople,
  type Columns,
} from '../../src/campaigns/invitee.ts'

const NONE: Columns = { email: 0, name: -1, group: -1, language: -1 }

/** The column of addresses among others, each of which would be taken if there were no better one. */
const emailAmong = (...names: string[]) => names[columnsOf(names).columns.email]

describe('the column of addresses', () => {
  it.each(['email', 'E-Mail', 'Email Address', 'email_address', 'e-mail-address', 'emailaddress', ' email '])(
    'is the one called %j, whatever else is there',
    (name) => {
      expect(emailAmong('mail', 'upn', 'work email', name)).toBe(name)
    },
  )

  it('is else the one called mail, then the one to sign in with', () => {
    expect(emailAmong('upn', 'work email', 'Mail')).toBe('Mail')
    for (const name of ['UPN', 'User Principal Name', 'user_principal-name', 'userPrincipalName'])
      expect(emailAmong('work email', name)).toBe(name)
  })

  it.each([
    'work email',
    'Work E-Mail',
    'work_email',
    'work-e-mail',
    'email (work)',
    'E-Mail_2',
    'email-2',
    'email 2',
  ])('is else one about emails: %j, but not before the one called mail', (name) => {
    expect(emailAmong('id', name)).toBe(name)
    expect(emailAmong(name, 'mail')).toBe('mail')
    expect(emailAmong(name, 'upn')).toBe('upn')
  })

  it.each(['remail', 'emails', 'mails', 'hotmail', 'email2', 'upn2', 'xupn', 'User Name', 'Principal Name'])(
    'is not the one called %s',
    (name) => {
      expect(() => columnsOf([name, 'name'])).toThrow(
        `no "email" column, and the first line has no email address: "${name}", "name"`,
      )
    },
  )

  it('is the one with an address where no column has a name', () => {
    expect(columnsOf(['7', 'ada@acme.example'])).toEqual({ columns: { ...NONE, email: 1 }, hasHeader: false })
    expect(columnsOf(['7', 'ada@'])).toEqual({ columns: { ...NONE, email: 1 }, hasHeader: false })
    expect(columnsOf(['7', 'email'])).toMatchObject({ columns: { email: 1 }, hasHeader: true })
  })

  it('is asked for where several may be it, ten at most', () => {
    const many = Array.from({ length: 11 }, (_, n) => `p${n}@acme.example`)
    const asked = (cells: string[]) => {
      try {
        return columnsOf(cells).columns.email
      } catch (error) {
        return error instanceof UnreadablePeople ? error.message : error
      }
    }
    const shown = (all: string[], between: string) => all.map((one) => `"${one}"`).join(between)
    expect(asked(many)).toBe(
      `which column has the addresses, ${shown(many.slice(0, 10), ' or ')}? Add a first line that calls it "email"`,
    )
    expect(asked(['Mail', 'mail', 'upn'])).toBe(
      'which column has the addresses, "Mail" or "mail"? Rename it to "email", and the others to something else',
    )
    const columns = Array.from({ length: 11 }, (_, n) => `c${n}`)
    expect(asked(columns)).toMatch(new RegExp(`: ${shown(columns.slice(0, 10), ', ')}$`))
    expect(asked([` \u0007${'x'.repeat(39)} `, 'y'.repeat(41)])).toMatch(
      new RegExp(`: "[?]x{39}", "y{40}…"$`),
    )
  })
})

describe('the other columns', () => {
  const what = (name: string) =>
    Object.entries(columnsOf(['email', name]).columns).flatMap(([key, at]) => (at === 1 ? [key] : []))

  it.each([
    ['name', ['name', ' Name ', 'Full name', 'full_name', 'display-name', 'firstname', 'Given Name']],
    [
      'group',
      ['group', 'Department', 'dept', 'team', 'division', 'office', 'location', 'cost center', 'CostCentre'],
    ],
    ['group', ['cost_center', 'cost-centre']],
    ['language', ['language', 'Lang', 'locale', 'preferred language', 'preferredLanguage', 'email_language']],
    ['language', ['e-mail language', 'emaillang', 'preferred-locale']],
  ])('may be called, for the %s: %j', (key, names) => {
    for (const name of names) expect([name, what(name)]).toEqual([name, [key]])
  })

  it.each([
    'surname',
    'name2',
    'nickname',
    'full',
    'last name',
    'groups',
    'subgroup',
    'costs',
    'costume center',
    'languages',
    'my language',
    'sublocale',
    'full  name',
  ])('are not called %s', (name) => {
    expect(what(name)).toEqual([])
  })
})

describe('a row', () => {
  const columns: Columns = { email: 0, name: 1, group: 2, language: 3 }
  const read = (...cells: unknown[]) => {
    const row = personOf(columns, cells)
    return row.kind === 'fault' ? row.fault : row.person
  }
  const ada = 'ada@acme.example'
  const long = 'é'.repeat(100)

  it.each<[unknown[], unknown]>([
    [[ada], { email: ada }],
    [
      [' ADA@acme.example ', ' Ada ', ' R&D ', ' de_at '],
      { email: ada, name: 'Ada', group: 'R&D', language: 'de-AT' },
    ],
    [[ada, ' ', '', ' '], { email: ada }],
    [[ada, 7, null, 7], { email: ada }],
    [[ada, long, long], { email: ada, name: long, group: long }],
    [[ada, `${long}x`], 'the name is too long'],
    [[ada, '', `${long}x`], 'the group is too long'],
    [[ada, 'A\nda'], 'the name contains a line break or a control character'],
    [[ada, 'A\u2028da'], 'the name contains a line break or a control character'],
    [[ada, '', 'a\u202Eb'], 'the group contains a line break or a control character'],
    [[ada, '', '', 'German'], '"German" is not a language tag like en, de or pt-BR'],
    [[''], 'missing email address'],
    [['  '], 'missing email address'],
    [[7], 'missing email address'],
    [[], 'missing email address'],
    [['nobody '], '"nobody" is not a valid email address'],
  ])('of %j is %j', (cells, person) => {
    expect(read(...cells)).toEqual(person)
  })

  it('of JSON is an object, or an address alone', () => {
    expect(jsonPerson(`"${ada}"`)).toEqual({ kind: 'person', person: { email: ada } })
    expect(jsonPerson(`{"name":"Ada","email":"${ada}","dept":"R&D"}`)).toEqual({
      kind: 'person',
      person: { email: ada, name: 'Ada', group: 'R&D' },
    })
    for (const [line, fault] of [
      ['null', 'neither an object nor an address'],
      ['7', 'neither an object nor an address'],
      ['{', 'not valid JSON'],
      ['[]', 'missing email address'],
      ['{"email":7}', 'missing email address'],
      ['""', 'missing email address'],
    ] as const)
      expect([line, jsonPerson(line)]).toEqual([line, { kind: 'fault', fault }])
  })

  it.each([
    ['de', 'de'],
    ['DE_at', 'de-AT'],
    ['zh_Hant_TW', 'zh-Hant-TW'],
    ['tlh', 'tlh'],
    ['German', undefined],
    ['x', undefined],
    ['1de', undefined],
    ['', undefined],
  ])('may say %j for the language, which is %j', (said, tag) => {
    expect(languageOf(said)).toBe(tag)
  })
})
