// What an email says, in whose language, and what it shows of the company.
import PostalMime from 'postal-mime'
import { afterAll, describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/campaigns/mail/mail.ts'
import { ACME, createEmails, jpeg, picture, type Written } from './emails.ts'

const emails = createEmails()
afterAll(() => emails.end())
const write = (given: Written) => emails.write({ file: ACME, ...given })

const wordsIn = (html: string) =>
  html
    .replaceAll(/<(style|title)>.*?<\/\1>|<!--.*?-->|<[^>]*>|\u034f\u200c\u00a0/gs, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&rsquo;', '’')
    .replaceAll(/\s+/g, ' ')
    .trim()

describe('the words of an email', () => {
  it('name the one app, or count several, in the subject', async () => {
    const subjectOf = async (apps: string[], reminder = 0) => (await write({ apps, reminder })).subject
    expect(await subjectOf(['GitHub'])).toBe('Connect GitHub to Acme Search')
    expect(await subjectOf(['GitHub', 'Slack', 'Jira'])).toBe('Connect 3 apps to Acme Search')
    expect(await subjectOf(['GitHub'], 1)).toBe('Reminder: connect GitHub to Acme Search')
    expect(await subjectOf(['Slack', 'Slack'], 2)).toBe('Reminder: connect 2 apps to Acme Search')
  })

  it('say what, how long, from whom and until when, and give the address that needs no link', async () => {
    const { html } = await write({})
    expect(wordsIn(html)).toBe(
      'Find your messages, files and tickets in one place. It takes about 3 minutes. A Acme Search ' +
        'Hi Ada, connect 3 apps to Acme Search ' +
        'Find your messages, files and tickets in one place. It takes about 3 minutes. ' +
        'S Slack G GitHub G Google Drive Connect my apps ' +
        'Search only shows people content they can already open. ' +
        'Prefer not to click links in emails? Go to search-setup.acme.example . ' +
        'From the Acme search team, sent to ada@acme.example because these apps are part of your work account. ' +
        'The link expires on December 21, 2026. ' +
        'Unsubscribe from reminders Contact the search team Acme intranet',
    )
  })

  it('guess no minutes where there are more than ten apps', async () => {
    const { html, text } = await write({ apps: Array.from({ length: 11 }, (_, n) => `App ${n}`) })
    expect(wordsIn(html)).toContain('A App 4 and 6 more Connect my apps')
    expect(html + text).not.toContain('minute')
  })

  it('are the same as plain text, each address on a line of its own or in a sentence', async () => {
    const { text } = await write({ apps: ['GitHub'], person: { email: 'bob@acme.example' } })
    expect(text).toBe(`Connect GitHub to Acme Search

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
})

describe('the language of an email', () => {
  const inLanguage = (language: string | undefined, file = ACME) =>
    write({ file, person: { email: 'ada@acme.example', ...(language !== undefined && { language }) } })

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['pt', 'pt-BR'],
    ['ar', 'ar'],
    ['fr', 'en'],
    [undefined, 'en'],
  ])('is the nearest that is offered: %s gives %s', async (wanted, tag) => {
    const { html } = await inLanguage(wanted)
    expect(/<html lang="([^"]*)"/.exec(html)?.[1]).toBe(tag)
    expect(/<article [^>]*lang="([^"]*)"/.exec(html)?.[1]).toBe(tag)
  })

  it('has its own words, dates and links', async () => {
    const { subject, html } = await inLanguage('de')
    expect(subject).toBe('3 Apps mit Acme Search verbinden')
    expect(html).toContain('21. Dezember 2026')
    expect((await inLanguage('ar')).html).toContain('شبكة Acme')
  })

  it('is the company’s default for everyone who asks for none that it offers', async () => {
    const file = { ...ACME, languages: ['de', 'en'] }
    expect((await inLanguage('ar', file)).html).toContain('<html lang="de"')
    expect((await inLanguage(undefined, file)).html).toContain('<html lang="de"')
  })

  it('turns the whole email where it runs from right to left', async () => {
    const { html } = await inLanguage('ar')
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toMatch(/<article [^>]*dir="rtl">/)
    expect(html).toMatch(/<table [^>]*dir="rtl"[^>]* class="card" style="[^"]*text-align: right;/)
    expect(html).not.toContain('text-align: left')
  })
})

describe('the company in an email', () => {
  const logoOf = (light: ReturnType<typeof picture>, dark?: ReturnType<typeof picture>) =>
    write({
      file: { ...ACME, logo: { light: 'light', ...(dark && { dark: 'dark' }) } },
      pictures: { light, ...(dark && { dark }) },
    })

  it('has its colour on the square and the button, and another one in dark mode', async () => {
    const { html } = await write({})
    expect(html.match(/bgcolor="#0b6e5f"/g)).toHaveLength(2)
    expect(html).toContain(
      '.brand { background-color: #4fd1b5 !important; border-color: #4fd1b5 !important; color: #14161f !important; }',
    )
  })

  it('has its logo inside the email, as large as it is drawn', async () => {
    const light = picture('jpg', jpeg(400, 100))
    const mail = await logoOf(light)
    expect(mail.html).toContain('src="cid:logo@onramp" width="128" height="32" alt=""')
    const { attachments } = await PostalMime.parse(await bytesOf(mail))
    expect(attachments).toMatchObject([
      { contentId: '<logo@onramp>', disposition: 'inline', mimeType: light.type, related: true },
    ])
    expect(Buffer.from(attachments[0]?.content as ArrayBuffer)).toEqual(light.content)
  })
})
