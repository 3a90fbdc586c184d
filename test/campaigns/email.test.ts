// Emails: text, language, branding, headers and bytes.
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { toEml, refuseInjection, type Email } from '../../src/campaigns/mail/email.ts'
import { SmtpClient } from '../../src/campaigns/mail/smtp-client.ts'
import { ACME, useEmails, jpeg, picture, png, type Written } from './emails.ts'
import { mail } from './sample-email.ts'

const writeEmail = useEmails()
const write = (given: Written) => writeEmail({ file: ACME, ...given })

const wordsIn = (html: string) =>
  html
    .replaceAll(/<(style|title)>.*?<\/\1>|<!--.*?-->|<[^>]*>|\u034f\u200c\u00a0/gs, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&rsquo;', '’')
    .replaceAll(/\s+/g, ' ')
    .trim()

it('the subject of an email names the app, or counts several', () => {
  const subjectOf = (apps: string[], reminder = 0) => write({ apps, reminder }).subject
  expect(subjectOf(['GitHub'])).toBe('Connect GitHub to Acme Search')
  expect(subjectOf(['GitHub', 'Slack', 'Jira'])).toBe('Connect 3 apps to Acme Search')
  expect(subjectOf(['GitHub'], 1)).toBe('One app left: GitHub. Most people need a minute.')
  expect(subjectOf(['Slack', 'Slack'], 2)).toBe('2 apps left. Most people need 2 minutes.')
})

it.each([
  ['calls its app the last one', 'connected', true],
  ['calls its app the last one', 'off', true],
  ['doesn’t call its app the last one', 'unconnected', false],
  ['doesn’t call its app the last one', 'blocked', false],
] as const)('a reminder %s if another one is %s', (_title, state, isLast) => {
  const jira = { instance: 'jira_1', name: 'Jira', state }
  const { subject, text, html } = write({ apps: ['Notion'], reminder: 3, allApps: [jira] })
  const words = /left|one app to go|the last one|our last reminder\./i
  const areLast = [subject, text, wordsIn(html)].map((part) => words.test(part))
  expect(areLast).toEqual([isLast, isLast, isLast])
})

it('an invitation has these words, and no others', () => {
  const { html } = write({})
  expect(wordsIn(html)).toBe(
    'Find your messages, files and tickets in one place. It takes about 3 minutes. A Acme Search ' +
      'Ada, 3 apps to go ' +
      'Find your messages, files and tickets in one place. It takes about 3 minutes. ' +
      'S Slack GitHub Google Drive Connect my apps ' +
      'Search only shows people content they can already open. ' +
      'Prefer not to click links in emails? Go to search-setup.acme.example . ' +
      'From the Acme search team, sent to ada@acme.example because these apps are part of your work account. ' +
      'The link expires on December 21, 2026. ' +
      'Unsubscribe from reminders Contact the search team Acme intranet',
  )
})

const appNames = (count: number) => Array.from({ length: count }, (_, n) => `App ${n}`)

it('an email names up to ten apps', () => {
  expect(wordsIn(write({ apps: appNames(10) }).html)).toContain('A App 9 Connect my apps')
})

it('an email names the first five of more than ten apps', () => {
  const { html, text, subject } = write({ apps: appNames(11) })
  expect(subject).toBe('Connect 5 apps to Acme Search')
  expect(wordsIn(html)).toContain('A App 4 and 6 more Connect my apps')
  expect(html + text).not.toContain('minute')
  expect(text).toMatch(/^Ada, start with 5 apps\n/)
})

it.each([
  ['a reminder', { reminder: 1 }, '11 apps left. Start with 5.'],
  ['a lapse email', { isLapse: true }, '11 apps need your OK again for Acme Search'],
])('the subject of %s counts more than ten apps', (_title, kind, subject) => {
  expect(write({ apps: appNames(11), ...kind }).subject).toBe(subject)
})

it('an email numbers same-name apps as the pages do', () => {
  const { text } = write({ apps: ['Slack', 'Jira', 'Slack'] })
  expect(text).toContain('  - Slack\n  - Jira\n  - Slack\u00a0(3)\n')
  const knownApps = [{ instance: 'slack_1', name: 'Slack' }]
  expect(write({ apps: ['Jira', 'Slack'], allApps: knownApps }).text).toContain('- Slack\u00a0(2)\n')
  expect(write({ apps: ['Jira', 'Slack'] }).text).toContain('- Slack\n')
})

it('an email from an address without a name shows the address', () => {
  const { text } = write({ from: { name: '', address: 'search@acme.example' } })
  expect(text.replaceAll('\n', ' ')).toContain('From search@acme.example, sent to')
})

it('an email shows an app’s name unchanged, also with markup in it', () => {
  const { html } = write({ person: { email: 'ada@acme.example', name: '<b>& Ada' } })
  expect(html).toContain('&lt;b&gt;&amp; Ada, 3 apps')
})

it('the plain text of an email says the same, one address a line', () => {
  const { text } = write({ apps: ['GitHub'], person: { email: 'bob@acme.example' } })
  expect(text).toBe(`One app to go: GitHub

Find your messages, files and tickets in one place. It takes about 1
minute.

  - GitHub

Connect my app
https://search-setup.acme.example/invite/TOKEN

Search only shows people content they can already open.

Prefer not to click links in emails? Go to
https://search-setup.acme.example.

--
From the Acme search team, sent to bob@acme.example because this app is
part of your work account. The link expires on December 21, 2026.

Unsubscribe from reminders
https://search-setup.acme.example/invite/TOKEN/opt-out

Contact the search team
mailto:search@acme.example

Acme intranet
https://intranet.acme.example/
`)
})

it('a reminder names the person’s progress and remaining apps', () => {
  const knownApps = [{ instance: 'jira_9', name: 'Jira', state: 'connected' as const }]
  const { subject, text } = write({ reminder: 1, allApps: knownApps })
  expect(subject).toBe('3 apps left. Most people need 3 minutes.')
  expect(text.replaceAll('\n', ' ')).toMatch(
    /^Ada, 3 apps to go {2}1 of your 4 apps is connected\. The rest takes about 3 minutes\. {4}- Slack /,
  )
  const last = write({ reminder: 3, allApps: knownApps })
  expect(last.text.replaceAll('\n', ' ')).toContain('This is our last reminder.')
})

it('a reminder to someone who has connected nothing isn’t the invitation again', () => {
  const [invitation, ...reminders] = [0, 1, 2, 3].map((reminder) =>
    write({ reminder }).text.replaceAll('\n', ' '),
  )
  expect(invitation).toMatch(/3 apps to go {2}Find your messages/)
  for (const text of reminders) {
    expect(text).toMatch(
      /Until you connect these apps, Acme Search can’t find your work there\. It takes about 3/,
    )
    expect(text).not.toContain('Find your messages')
  }
})

const openApp = { instance: 'notion_9', name: 'Notion', state: 'unconnected' as const }
const doneApp = { instance: 'jira_9', name: 'Jira', state: 'connected' as const }
const blockedApp = { instance: 'miro_9', name: 'Miro', state: 'blocked' as const }

// prettier-ignore
it.each([
  { what: 'the first reminder has the progress', apps: ['Slack'], reminder: 1, count: 2, sentence: '1 of your 4 apps is connected. It takes about 2 minutes.' },
  { what: 'the second reminder has the reason', apps: ['Slack'], reminder: 2, count: 2, sentence: 'because these apps are part of' },
  { what: 'the second reminder has one button', apps: ['Slack'], reminder: 2, count: 2, sentence: 'Notion Connect my apps' },
  { what: 'a reminder of two apps has one button', apps: ['Slack', 'Figma'], reminder: 2, count: 3, sentence: 'Notion Connect my apps' },
  { what: 'the last reminder announces that it is the last', apps: ['Slack'], reminder: 3, count: 2, sentence: 'This is our last reminder about Slack.' },
])('$what, and counts apps left to connect', ({ apps, reminder, count, sentence }) => {
  const { subject, text, html } = write({ apps, reminder, allApps: [openApp, blockedApp, doneApp] })
  const heading = `${count} apps aren’t connected to Acme Search yet`
  expect(subject).toBe(heading)
  expect(text).toMatch(new RegExp(`^Ada, ${heading}\n`))
  for (const all of [text.replaceAll(/[\s-]+/g, ' '), wordsIn(html)]) {
    expect(all).toContain(sentence)
    expect(all).not.toMatch(/in one place|to go|left|The rest/)
  }
})

const CONNECT = 'Slack was approved. Connect it now.'
const TRY_AGAIN = 'Try connecting Slack again'
const LAST = 'One click left: Slack was approved'

it.each([
  ['it works', 'confirmed', [doneApp], LAST, /in it\. It takes about 1 minute/],
  ['others are left', 'confirmed', [doneApp, openApp], CONNECT, /in it\. 1 of your 3 apps is connected\./],
  ['it is to be tested', 'approved', [doneApp, openApp], CONNECT, /in it\. If it doesn’t work, we/],
  ['others wait for the test', 'approved', [doneApp], CONNECT, /in it\. If it works, we’ll.*wait;/, 1, true],
  ['a test has failed', 'approved', [], TRY_AGAIN, /Last time it didn’t work\. An admin has.*If it does/, 2],
  ['a later test works', 'confirmed', [], TRY_AGAIN, /Last time it didn’t work\. Someone else has/, 2, false],
] as const)(
  'the email about an approved app says what to do if %s',
  (_title, approval, allApps, heading, sentence, nth = 1, othersWait = false) => {
    const kind = { approval, nth, othersWait }
    const { subject, text, html } = write({ apps: ['Slack'], allApps: [...allApps], ...kind })

    expect(subject).toBe(heading)
    for (const all of [text.replaceAll(/\s+/g, ' '), wordsIn(html)]) expect(all).toMatch(sentence)
  },
)

it('a reminder of one app beside a blocked one names it', () => {
  const { subject } = write({ apps: ['Slack'], reminder: 1, allApps: [blockedApp] })
  expect(subject).toBe('Slack isn’t connected to Acme Search yet')
})

it('a reminder of many apps beside a new one counts them all', () => {
  const apps = Array.from({ length: 12 }, (_, one) => `App ${one}`)
  const { subject, text } = write({ apps, reminder: 1, allApps: [openApp] })
  expect([subject, text.split('\n')[0]]).toEqual([
    '13 apps aren’t connected to Acme Search yet',
    'Ada, 13 apps aren’t connected to Acme Search yet',
  ])
  expect(text).toContain('- App 4\n  and 8 more\n')
})

it('an invitation names the sender and their role; a reminder does not', () => {
  const file = { ...ACME, sender: { name: 'Grace Hopper', role: { en: 'Head of IT', de: 'Leiterin IT' } } }
  expect(write({ file }).html).toContain(
    'Grace Hopper, Head of IT, asks you to connect your apps to Acme Search. Find your messages',
  )
  expect(write({ file: { ...ACME, sender: { name: 'Grace Hopper' } } }).text).toContain(
    '\nGrace Hopper asks you to',
  )
  for (const other of [{ reminder: 1 }, { isLapse: true }, { isNew: true }])
    expect(write({ file, ...other }).text).not.toContain('Grace')
})

it('an email greets people by their given name', () => {
  const heading = (name: string, language: string) =>
    write({ person: { email: 'ada@acme.example', name, language } }).text.split(',', 1)[0]
  expect(heading('Lovelace, Ada', 'en')).toBe('Ada')
  expect(heading('Kovács Ada', 'hu')).toBe('Kovács Ada')
})

it('a lapse email names the lapsed access, the next step and the reason', () => {
  const lapsedAt = Date.UTC(2026, 10, 20)
  const { subject, html, text } = write({ apps: ['Slack'], isLapse: true, lapsedAt })
  expect(subject).toBe('Slack needs your OK again for Acme Search')
  expect(wordsIn(html)).toMatch(
    /A Acme Search Ada, Slack needs your OK again Since November 20, 2026, Acme Search hasn’t been able to read Slack for you\. This app asks for a fresh OK from time to time\. It takes about 1 minute\. S Slack Connect again Search only /,
  )
  expect(text.replaceAll('\n', ' ')).toContain('because this app was connected to Acme Search.')
  expect(text).toContain('Want to check without the link? Go to')
  expect(text).toContain('Unsubscribe from reminders\n')
  expect(html + text).not.toMatch(/in one place|work account|our (second email|last reminder)/)
})

it('a lapse email counts several apps, and calls itself the second or the last', () => {
  const apps = ['Slack', 'GitHub', 'Jira']
  const secondEmail = write({ apps, isLapse: true, reminder: 4, nth: 2 })
  expect(secondEmail.subject).toBe('3 apps need your OK again for Acme Search')
  expect(secondEmail.text).toContain('This is our second email about this.')
  const thirdEmail = write({ apps, isLapse: true, reminder: 5, nth: 3 })
  expect(thirdEmail.text).toContain('This is our last reminder.')
})

it('only the first email about a new app calls it new', () => {
  const firstEmail = write({ apps: ['Notion'], isNew: true, reminder: 4, allApps: [doneApp] })
  expect(firstEmail.subject).toBe('Notion is new in Acme Search')
  expect(firstEmail.text).toMatch(
    /^Notion is new in Acme Search\n\nConnect it, and search finds your work there, too\. It takes/,
  )
  expect(firstEmail.text + firstEmail.html).not.toMatch(/Reminder:|in one place/)
  const secondEmail = write({ apps: ['Notion', 'Figma'], isNew: true, nth: 2, reminder: 1 })
  expect(secondEmail.subject).toBe('2 new apps aren’t connected to Acme Search yet')
})

const fourNames = ['Slack', 'Jira', 'Figma', 'Miro']

it.each([
  [['Slack', 'Notion'], ['Slack'], 'Notion is new, and Slack has moved'],
  [['Slack', 'Notion', 'Jira'], ['Slack'], 'Notion and Jira are new, and Slack has moved'],
  [['Notion', ...fourNames], fourNames, 'Notion is new, and 4 apps have moved'],
  [fourNames, [], '4 apps are new in Acme Search'],
  [fourNames.slice(1), [], 'Jira, Figma, and Miro are new in Acme Search'],
  [fourNames, fourNames, '4 apps have moved: connect them to Acme Search again'],
  [fourNames.slice(1), fourNames, 'Jira, Figma, and Miro have moved: connect them to Acme Search again'],
])('the subject about new apps %j, of which %j have moved, names up to three', (apps, moved, heading) => {
  const hasMoved = apps.every((app) => moved.includes(app))

  expect(write({ apps, moved, isNew: true, hasMoved }).subject).toBe(heading)
})

it('an email about new and moved apps says that the old connection has ended', () => {
  const mixed = { apps: ['Slack', 'Notion'], moved: ['Slack'], isNew: true, nth: 3, reminder: 2 }

  const { subject, text } = write(mixed)

  expect(subject).toBe('2 apps aren’t connected to Acme Search yet')
  expect(text.replaceAll('\n', ' ')).toMatch(
    / yet +Connect them, .* The old connection to Slack no longer works\. .* our last reminder\. .*- Notion/,
  )
})

it('an email about a moved approval asks for nothing', () => {
  const { subject, text, html } = write({
    apps: ['Slack'],
    isNew: true,
    hasMoved: true,
    isWaiting: true,
  })

  expect(subject).toBe('Slack has moved, and you’re still waiting for an admin')
  for (const all of [text.replaceAll('\n', ' '), wordsIn(html)]) {
    expect(all).toMatch(/moved, too\. You don’t need to do anything: .* connect Slack\. .*Go to your apps/)
    expect(all).not.toMatch(/minute|old connection|Connect my app/)
  }
})

const inLanguage = (language: string | undefined, file = ACME) =>
  write({ file, person: { email: 'ada@acme.example', ...(language !== undefined && { language }) } })

it.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['pt', 'pt-BR'],
  ['ar', 'ar'],
  ['fr', 'en'],
  [undefined, 'en'],
])('a person who prefers %s gets the email in %s', (wanted, tag) => {
  const { html } = inLanguage(wanted)
  expect(/<html lang="([^"]*)"/.exec(html)?.[1]).toBe(tag)
  expect(/<article [^>]*lang="([^"]*)"/.exec(html)?.[1]).toBe(tag)
})

it('an email in another language has its texts, dates and links', () => {
  const { subject, html } = inLanguage('de')
  expect(subject).toBe('3 Apps mit Acme Search verbinden')
  expect(html).toContain('21. Dezember 2026')
  expect(inLanguage('ar').html).toContain('شبكة Acme')
})

it('a person whose language the company doesn’t offer gets its default language', () => {
  const file = { ...ACME, languages: ['de', 'en'] }
  expect(inLanguage('ar', file).html).toContain('<html lang="de"')
  expect(inLanguage(undefined, file).html).toContain('<html lang="de"')
})

it('an email in a right-to-left language runs from right to left as a whole', () => {
  const { html } = inLanguage('ar')
  expect(html).toContain('<html lang="ar" dir="rtl">')
  expect(html).toMatch(/<article [^>]*dir="rtl">/)
  expect(html).toMatch(/<table [^>]*dir="rtl"[^>]* class="card" style="[^"]*text-align: right;/)
  expect(html).not.toContain('text-align: left')
})

const logoOf = (light: ReturnType<typeof picture>, dark?: ReturnType<typeof picture>) =>
  write({
    file: { ...ACME, logo: { light: 'light', ...(dark && { dark: 'dark' }) } },
    pictures: { light, ...(dark && { dark }) },
  })

it('an email has the company’s color, with a variant for dark mode', () => {
  const { html } = write({})
  expect(html.match(/bgcolor="#0b6e5f"/g)).toHaveLength(2)
  expect(html).toContain(
    '.brand { background-color: #4fd1b5 !important; border-color: #4fd1b5 !important; color: #14161f !important; }',
  )
})

it('an email has the company’s logo attached, in the size in which it is drawn', async () => {
  const light = picture('jpg', jpeg(400, 100))
  const rendered = logoOf(light)
  expect(rendered.html).toContain('src="cid:logo@onramp" width="128" height="32" alt=""')
  const { attachments } = await PostalMime.parse(
    await toEml({ ...rendered, inlines: rendered.inlines?.slice(0, 1) ?? [] }),
  )
  expect(attachments).toMatchObject([
    { contentId: '<logo@onramp>', disposition: 'inline', mimeType: light.type, related: true },
  ])
  expect(Buffer.from(attachments[0]?.content as ArrayBuffer)).toEqual(light.content)
})

it('an email shows the icons of the pages, or a letter without one', async () => {
  const icon = picture('png', png(40, 20))
  const file = { ...ACME, datasources: { slack: { logo: 'slack' }, jira: { logo: 'svg' } } }
  const pictures = { slack: icon, svg: picture('svg', Buffer.from('<svg/>')) }
  const rendered = write({ file, pictures, apps: ['Slack', 'Jira', 'Our wiki'] })
  expect(rendered.html.match(/src="cid:app-\d@onramp" width="\d+" height="\d+"/g)).toEqual([
    'src="cid:app-0@onramp" width="28" height="14"',
    'src="cid:app-1@onramp" width="28" height="28"',
  ])
  expect(wordsIn(rendered.html)).toContain(' Slack Jira O Our wiki ')
  const { attachments } = await PostalMime.parse(await toEml(rendered))
  expect(attachments.map(({ contentId, mimeType }) => [contentId, mimeType])).toEqual([
    ['<app-0@onramp>', 'image/png'],
    ['<app-1@onramp>', 'image/png'],
  ])
})

it('an email has a link for its person and apps, and the expected headers', () => {
  const issued: unknown[] = []
  const { to, text, headers } = write({
    invitations: {
      issue(...all) {
        issued.push(...all)
        return 'TOKEN'
      },
    },
    datasources: ['slack'],
    publicUrl: 'https://onramp.acme.example:8443',
  })
  const link = 'https://onramp.acme.example:8443/invite/TOKEN'

  expect(issued).toEqual([{ email: to, datasources: ['slack'] }, 30])
  expect(text).toContain(`\n${link}\n`)
  expect(headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'OOF, AutoReply',
    'List-Unsubscribe': `<${link}/opt-out>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

it('the Message-ID is the same for every attempt, and differs between emails', () => {
  const id = (given: Written) => write(given).messageId
  const first = id({})
  expect(first).toMatch(/^<[0-9a-f]{32}@acme\.example>$/)
  expect(id({ apps: ['Jira'], days: 7 })).toBe(first)
  const others = [{ reminder: 1 }, { campaign: 'd' }, { person: { email: 'bob@acme.example' } }]
  expect(new Set([first, ...others.map(id)]).size).toBe(4)
})

it.each<Partial<Email>>([
  { subject: 'Hi\r\nBcc: eve@evil.example' },
  { subject: 'a\u2028b' },
  { from: { name: 'Search\nBcc: x', address: 'search@acme.example' } },
  { from: { name: '', address: 'a@b.c <x@y.z>' } },
  { to: 'ada@acme.example\u2028x' },
  { to: 'ada@acme.example,eve@evil.example' },
  { to: 'ada@acme.example;' },
  { headers: { 'X-One': 'a\nX-Two: b' } },
  { headers: { 'X\r\nBcc': 'a' } },
  { messageId: '<1\n@acme.example>' },
])('an email isn’t sent with a header that could add another: %j', async (part) => {
  const injected: Email = { ...mail, ...part }
  expect(() => refuseInjection(mail)).not.toThrow()
  expect(() => refuseInjection(injected)).toThrow(RangeError)
  const server = new SmtpClient({ SMTP_URL: 'smtp://127.0.0.1:1' })
  await expect(server.send(injected)).rejects.toThrow(RangeError)
  server.close()
})

it('an email has its headers on one line each, however long', async () => {
  const headers = { 'List-Unsubscribe': `<https://onramp.acme.example/${'x'.repeat(300)}>` }
  const bytes = (await toEml({ ...mail, headers })).toString()
  expect(bytes).toMatch(/^List-Unsubscribe: <https:\/\/onramp\.acme\.example\/x{300}>\r$/m)
  expect(bytes.split('\n').filter((line) => !line.endsWith('\r')).length).toBeLessThanOrEqual(1)
})
