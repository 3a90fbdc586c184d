// Exports of directories, HR systems and spreadsheets, each with the peculiarity that people reported.
import { createReadStream } from 'node:fs'
import { expect, it } from 'vitest'
import { readPeopleList } from '../../src/campaigns/people-file.ts'
import { toArray } from '../helpers/people.ts'

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

const exported = (name: string) => createReadStream(new URL(`../fixtures/lists/${name}`, import.meta.url))

/** The people of a list, and the messages about it. */
async function read(list: AsyncIterable<Uint8Array>, includeGuests = false) {
  const words: string[] = []
  const rows = await toArray(readPeopleList(list, (notified) => words.push(notified), includeGuests))
  const people = rows.flatMap((row) => (row.kind === 'person' ? row.person : []))
  const emails = rows.map((row) => (row.kind === 'person' ? row.person.email : row.fault))
  return { people, emails, words: words.slice(1), columns: words[0] }
}

const readText = (text: string, includeGuests?: boolean) => read(inPieces(text, 65_536), includeGuests)
const personIn = async (text: string) => (await readText(text)).people[0]
const [a, b, c, g] = ['a@acme.example', 'b@acme.example', 'c@acme.example', 'g@partner.example']

const BLOCKED = '1 is blocked there'
const GUEST = '1 is a guest (see --include-guests)'
it.each([
  ['Active Directory, without disabled accounts', 'active-directory.csv', [a], [BLOCKED]],
  ['Entra’s template, which begins with its version', 'entra-bulk-template.csv', [a, b], [BLOCKED]],
  ['the Entra portal, without blocked people and guests', 'entra-portal.csv', [a], [BLOCKED, GUEST]],
  ['Entra without the column mail, whose guests have #EXT#', 'entra-without-mail.csv', [a], [GUEST]],
  ['Excel, which begins with sep=;', 'excel-sep-line.csv', [a, b, c], []],
  ['Exchange, which calls the address PrimarySmtpAddress', 'exchange.csv', [a], []],
  ['Google, which has five columns of emails', 'google-workspace.csv', [a, b], [BLOCKED]],
  ['Microsoft Graph, which is one page of JSON', 'graph-page.json', [a, b], []],
  ['Microsoft 365, without people whose credential is blocked', 'microsoft-365.csv', [a], [BLOCKED]],
  ['Okta with two columns of emails, without the deprovisioned', 'okta.csv', [a], [BLOCKED]],
  ['PowerShell, which begins with #TYPE', 'powershell-type-line.csv', [a, b], []],
])('the people are read from an export of %s', async (_title, file, emails, out) => {
  const found = await read(exported(file))
  expect([found.emails, found.words]).toEqual([
    emails,
    out.length > 0 ? [`Left out: ${out.join(', ')}.`] : [],
  ])
})

it('guests of an Entra export are emailed if they are wanted, and blocked people never', async () => {
  const found = await read(exported('entra-portal.csv'), true)
  expect(found.emails).toEqual([a, g])
  expect(found.words).toEqual(['Left out: 1 is blocked there.'])
})

it('the note about columns names the columns that exclude people', async () => {
  expect((await read(exported('entra-portal.csv'))).columns).toBe(
    'Columns: email ("mail"), name ("displayName"), id, who is left out ("userPrincipalName", "userType", "accountEnabled"). Ignored: none.',
  )
})

it('Windows’ time zones and names of languages are read, or counted as unreadable', async () => {
  const { people, words } = await read(exported('windows-time-zones.csv'))

  expect(people.map(({ timezone, language }) => [timezone, language])).toEqual([
    ['Europe/Berlin', 'de'],
    ['Europe/Amsterdam', 'de-DE'],
    [undefined, 'en'],
    [undefined, undefined],
  ])
  expect(words).toEqual([
    'Time zones that can\'t be read: 2, such as "Customized Time Zone"; the company\'s counts.',
  ])
})

it.each([
  ['a title and filters', `All Workers,,\nOrganization,Acme,\n\nWorker,Email - Work,Manager\nAnn,${a},Ben\n`],
  ['a title without commas over semicolons', `All workers\nname;email;floor\n"A, n, n";${a};1\n`],
  ['a title over addresses alone', `People of Acme\n${a}\n`],
  ['sep=;', `sep=;\r\nname;email\r\nAnn;${a}\r\n`],
  ['sep= and a tab', `\uFEFFsep=\t\nname\temail\nAnn\t${a}\n`],
])('a list that begins with %s is read', async (_title, text) => {
  for (const size of [65_536, 7, 1]) expect((await read(inPieces(text, size))).emails).toEqual([a])
})

it('a title with an address that would hide the header below it is refused', async () => {
  const list = `Contact: hr@acme.example,\nemail,status\n${a},active\n${b},suspended\n`
  await expect(readText(list)).rejects.toThrow('line 2 looks like the header')
  expect((await readText(`Contact: hr@acme.example\nnobody\n${a}\n`)).emails).toHaveLength(3)
})

it('a list without a header in its first ten lines is refused', async () => {
  const nine = 'Title\n'.repeat(9)
  expect((await readText(`${nine}email\n${a}\n`)).emails).toEqual([a])
  await expect(readText(`${nine}Title\nemail\n${a}\n`)).rejects.toThrow('no "email" column')
  await expect(readText(`Title\nid,person\n7,${a}\n`)).rejects.toThrow('no email address: "id", "person"')
})

const people = [{ mail: a, accountEnabled: true }, { mail: b, accountEnabled: false }, { mail: null }, null]
it.each([
  ['a page in one line', JSON.stringify({ '@odata.context': 'x', value: people })],
  ['a page in many lines', JSON.stringify({ '@odata.context': 'x', value: people }, undefined, 2)],
  ['a list in one line', JSON.stringify(people)],
  ['a list in many lines', `\uFEFF\r\n${JSON.stringify(people, undefined, 2)}`],
])('a JSON document that is %s is read', async (_title, text) => {
  for (const size of [65_536, 7]) {
    const found = await read(inPieces(text, size))
    expect(found.emails).toEqual([a, 'missing email address', 'neither an object nor an address'])
    expect([found.columns, ...found.words]).toEqual([
      'JSON with 4 entries; "line 2" is the second one.',
      'Left out: 1 is blocked there.',
    ])
  }
})

it.each([
  ['of Microsoft Graph', { '@odata.context': 'x', businessPhones: [], displayName: 'Ann', mail: a }],
  ['with lists of objects', { mail: a, assignedLicenses: [{ skuId: 'x' }], plans: [{}] }],
  ['of SCIM', { schemas: ['x'], userName: 'ann', emails: [{ value: a, primary: true }] }],
])('JSON of one person %s is read as a list of one', async (_title, person) => {
  for (const space of [0, 2])
    expect((await readText(JSON.stringify(person, undefined, space))).emails).toEqual([a])
})

const NEITHER = 'neither one JSON document nor an object per line'
it.each([
  ['names the next page', '{"value":[],"@odata.nextLink":"x"}', 'one page of several ("@odata.nextLink")'],
  ['has the next page’s token', `{"users":[{"primaryEmail":"${a}"}],"nextPageToken":"x"}`, 'one page of'],
  [
    'has two lists',
    `{"value":[{"mail":"${a}"}],"other":[{}],\n"x":1}`,
    'no list of people in it, or several',
  ],
  ['is cut off', `[{"mail":"${a}"},`, NEITHER],
  ['has pages, one a line', '{"value":[{}]}\n{"value":[{}]}', NEITHER],
])('a JSON document that %s is refused', async (_title, text, message) => {
  await expect(readText(text)).rejects.toThrow(message)
})

const [ann, ben] = [
  { id: '1', status: 'ACTIVE', profile: { login: 'ann', email: a, secondEmail: b, locale: 'de_DE' } },
  { id: '2', status: 'DEPROVISIONED', profile: { login: b, email: b } },
]
it.each([
  ['a list', JSON.stringify([ann, ben])],
  ['an object a line', `${JSON.stringify(ann)}\n${JSON.stringify(ben)}\n`],
  ['CSV made of it', `id,status,profile.email,profile.locale\n1,ACTIVE,${a},de_DE\n2,SUSPENDED,${b},\n`],
])('a person of Okta’s API has the address and the language of the profile: %s', async (_title, text) => {
  expect((await readText(text)).emails).toEqual([a])
  expect(await personIn(text)).toEqual({ email: a, language: 'de-DE', id: '1' })
})

const profile = [
  { value: 'ann@home.example', type: 'home' },
  { value: a, type: 'work', primary: true },
]
const scim = [
  { schemas: ['x'], userName: 'ann', name: { formatted: 'Ann A' }, emails: profile, active: true },
  { userName: 'ben', emails: [{ value: b }], active: false },
  { userName: c, active: true },
  { userName: 'dot', emails: [{ value: b }, { value: c }], active: true },
]
const listResponse = { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], Resources: scim }
it.each([
  ['a list response', JSON.stringify({ ...listResponse, totalResults: 4 })],
  ['an object a line', scim.map((one) => JSON.stringify(one)).join('\n')],
])('a SCIM person gets the primary one of several addresses: %s', async (_title, text) => {
  expect((await readText(text)).emails).toEqual([a, c, 'missing email address'])
  expect(await personIn(text)).toEqual({ email: a, name: 'Ann A' })
})

it('a SCIM response with fewer people than its total is refused', async () => {
  await expect(readText(JSON.stringify({ ...listResponse, totalResults: 5 }))).rejects.toThrow(
    'one page of several ("totalResults")',
  )
})

it('JSON with one object a line is read as it arrives', async () => {
  const rows: string[] = []
  async function* lines() {
    yield await Promise.resolve(Buffer.from(`{"email":"${a}"}\n`))
    expect(rows).toEqual([])
    yield Buffer.from(`{"email":"${b}","suspended":true}\n`)
    yield Buffer.from(`{"email":"${c}","suspended":false}\n`)
  }
  for await (const row of readPeopleList(lines()))
    rows.push(row.kind === 'person' ? row.person.email : row.fault)
  expect(rows).toEqual([a, c])
  expect((await readText(`{"email":"${a}","phones":[{}]}\n{"email":"${b}","phones":[{}]}\n`)).emails).toEqual(
    [a, b],
  )
  expect((await readText(`[Email],[Name]\n${a},Ann\n`)).emails).toEqual([a])
})

it.each([
  ['Work Email', ['Home Email', 'Work Email']],
  ['Email - Work', ['Email - Home', 'Email - Work']],
  ['Email - Primary Work', ['Email - Work', 'Email - Primary Work']],
  ['primaryWorkEmail', ['work email', 'primaryWorkEmail']],
  ['Primary SMTP Address', ['Email Addresses', 'Primary SMTP Address']],
  ['primaryEmail', ['recoveryEmail', 'primaryEmail', 'work email']],
  ['Email Address [Required]', ['New Primary Email [UPLOAD ONLY]', 'Email Address [Required]']],
  ['Benutzername [userPrincipalName] Erforderlich', ['Benutzername [userPrincipalName] Erforderlich', 'id']],
  ['private email', ['private email', 'id']],
])('the column of addresses is %j', async (name, names) => {
  const cells = names.map((one) => (one === name ? a : b))
  expect((await readText(`${names.join()}\n${cells.join()}\n`)).emails).toEqual([a])
})

it('a list with several private addresses is refused', async () => {
  await expect(readText(`home email,private email\n${a},${b}\n`)).rejects.toThrow('which column has the')
})

it.each([
  ['accountEnabled', ['False', 'FALSCH', 'no', '0'], ['True', 'WAHR', 'yes', '1', '']],
  ['Enabled', ['False'], ['True']],
  ['Account enabled', ['No'], ['Yes']],
  ['Active Status', ['No', 'Terminated'], ['Yes', 'On Leave', 'Active']],
  ['active', ['false'], ['true']],
  ['Block credential', ['True'], ['False', '']],
  ['BlockCredential', ['True'], ['False']],
  ['SignInBlocked', ['True'], ['False']],
  ['Sign-in status', ['Sign-in blocked', 'Blocked'], ['Sign-in allowed', 'Allowed']],
  ['Account Status', ['User disabled', 'Admin suspended'], ['User enabled']],
  ['Currently Active', ['No'], ['Yes']],
  ['nsAccountLock', ['true', 'TRUE'], ['false', '']],
  ['deletedDateTime', ['2026-11-01T08:00:00Z', '11/1/2026'], ['']],
  ['userAccountControl', ['514', '66050'], ['512', '66048', '']],
  ['isGuest', ['TRUE'], ['FALSE', '']],
  ['Block sign in (Yes/No) [accountEnabled] Required', ['Yes'], ['No']],
  ['Anmelden blockieren (Ja/Nein) [accountEnabled] Erforderlich', ['Ja'], ['Nein']],
  ['suspended', ['True'], ['False']],
  ['Status [READ ONLY]', ['Suspended', 'Archived'], ['Active']],
  ['Status', ['DEPROVISIONED', 'SUSPENDED', 'inactive'], ['ACTIVE', 'PASSWORD_EXPIRED', 'STAGED']],
  ['status', [], ['LOCKED_OUT']],
  ['AccountDisabled', ['True'], ['False']],
  ['userType', ['Guest'], ['Member', '']],
  ['RecipientTypeDetails', ['GuestMailUser'], ['UserMailbox']],
  ['Recipient type details', ['RoomMailbox', 'SharedMailbox'], ['UserMailbox', 'MailUser']],
  ['upn', ['g_partner.example#EXT#@acme.onmicrosoft.com'], ['guest@acme.example']],
  ['State', [], ['Inactive', 'Bavaria']],
  ['DirSyncEnabled', [], ['False']],
])('the column %j excludes people with %j, and not with %j', async (header, excludedCells, keptCells) => {
  const [kept, excluded] = [a, b]
  const rows = [
    ...excludedCells.map((cell) => `${excluded},${cell}`),
    ...keptCells.map((cell) => `${kept},${cell}`),
  ]

  const { emails, words } = await readText(`email,${header}\n${rows.join('\n')}\n`)

  expect(emails).toEqual(keptCells.map(() => kept))
  expect(words).toHaveLength(Math.min(excludedCells.length, 1))
})

it('people with an unreadable status stay, and are counted with a sample', async () => {
  const { emails, words } = await readText(`email,status\n${a},Full-time\n${b},Contractor\n${c},suspended\n`)
  expect(emails).toEqual([a, b])
  expect(words).toEqual([
    'Left out: 1 is blocked there.',
    'Statuses that can\'t be read: 2, such as "Full-time"; these people stay.',
  ])
})

it('excluded people are counted by reason', async () => {
  const rows = ['RoomMailbox,', 'GuestMailUser,', 'SharedMailbox,', 'UserMailbox,yes', 'GuestMailUser,yes']
  const list = `mail,Recipient type details,suspended\n${rows.map((row) => `${a},${row}\n`).join('')}`
  expect((await readText(list)).words).toEqual([
    'Left out: 2 are blocked there, 1 is a guest (see --include-guests), 2 are mailboxes of rooms or teams.',
  ])
  expect((await readText(list, true)).emails).toEqual([a])
})

it('a blocked account without an address is skipped, without a fault', async () => {
  const { emails, words } = await readText(`mail,Enabled\n,False\n,False\n${a},True\n`)
  expect(emails).toEqual([a])
  expect(words).toEqual(['Left out: 2 are blocked there.'])
})

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['W. Europe Standard Time', 'Europe/Berlin'],
  ['w. europe standard time', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome', 'Europe/Amsterdam'],
  ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Kolkata'],
  ['(UTC) Dublin, Edinburgh, Lisbon, London', 'Europe/Dublin'],
  ['GMT-08:00 Pacific Time (Los Angeles)', 'America/Los_Angeles'],
  ['(GMT+01:00) Central European Standard Time (Europe/Berlin)', 'Europe/Berlin'],
  ['(UTC-05:00) Eastern Time (US & Canada)', undefined],
  ['UTC+1', undefined],
  ['GMT-5', undefined],
  ['+02:00', undefined],
  ['London, Ontario', undefined],
  ['Customized Time Zone', undefined],
])('the time zone %j is read as %j', async (cell, timezone) => {
  const person = await personIn(`email\ttz\n${a}\t${cell}\n`)
  expect(person).toEqual({ email: a, ...(timezone && { timezone }) })
})

it.each([
  ['German', 'de'],
  ['deutsch', 'de'],
  ['English (United States)', 'en'],
  ['Portuguese (Brazil)', 'pt-BR'],
  ['Português (Brasil)', 'pt-BR'],
  ['Chinese (Traditional)', 'zh-Hant'],
  ['Hebrew', 'he'],
  ['pt_BR', 'pt-BR'],
  ['Klingonish', undefined],
  ['x', undefined],
])('the language %j is read as %j', async (cell, language) => {
  const person = await personIn(`email,language\n${a},${cell}\n`)
  expect(person).toEqual({ email: a, ...(language && { language }) })
})
