// COMPANY_FILE and the commands that send: the same file as the server's, and the same apps as on the pages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, describe, expect, it } from 'vitest'
import { useCompany } from './command.ts'
import { languagesToShow } from '../../src/cli/invite/preview-languages.ts'
import { createLanguages } from '../../src/web/languages/languages.ts'
import { createEmails, png } from './emails.ts'

const emails = createEmails()
afterAll(() => emails.end())
const { company, mails, recipients, send, fresh, list } = useCompany()

const FILE = `name: Acme
product: Acme Search
logo: { light: logo.png }
color: { light: '#0b6e5f' }
texts: { en: { email.start: 'Start at {product}{count, plural, other {}}' } }
datasources:
  slack: { hidden: true }
  gdrive: { hidden: true }
  jira: { order: 1 }
`

/** Writes the company file, its logo beside it. */
function branded(content: string) {
  const path = company().list('company.yaml', content)
  const folder = dirname(path)
  writeFileSync(join(folder, 'logo.png'), png(64, 64))
  return { COMPANY_FILE: path, folder }
}

describe('a campaign of a company', () => {
  it('neither names nor counts an app that the company hides, and emails no one who has only such', async () => {
    const { COMPANY_FILE } = branded(FILE)
    const people = list('email,language\nada@acme.example,sw\nbob@acme.example,en\n')
    const { code, stderr } = await send([people, ...fresh()], { env: { COMPANY_FILE } })
    expect(code).toBe(0)
    expect(recipients()).toEqual(['ada@acme.example'])
    expect(stderr).toContain('1  has nothing to connect')
    const mail = await PostalMime.parse(mails()[0]?.raw ?? '')
    expect(mail.subject).toBe('Connect 3 apps to Acme Search')
    expect(mail.text).toContain('\n  - Jira\n  - GitHub\n  - Confluence\n')
    expect(mail.html).toContain('>Start at Acme Search</a>')
    expect(mail.html).not.toMatch(/Slack|Google Drive/)
  })

  it('ends before anything is asked where the company file is faulty, as the server does', async () => {
    const { COMPANY_FILE } = branded('name: Acme\ncolour: red\nlinks: { help: { url: nowhere } }\n')
    const faulty = await send([list('ada@acme.example\n'), ...fresh()], { env: { COMPANY_FILE } })
    expect(faulty.code).toBe(78)
    expect(faulty.stderr).toContain('2 faults in COMPANY_FILE need to be fixed:\n  - company.yaml:2:1 colour')
    const preview = await company().run(['invite', 'preview', '/nowhere'], { env: { COMPANY_FILE } })
    expect(preview).toMatchObject({ code: 78, stderr: expect.stringContaining('company.yaml:3:') as string })
    expect(company().sandbox.requests).toEqual([])
    expect(mails()).toEqual([])
  })
})

describe('the languages of a preview', () => {
  const languages = createLanguages({ folder: emails.folder, offered: ['de', 'en', 'pt-BR'], isHttps: true })
  const { stdin, stdout } = process
  const stderr = { write: () => true }
  const shown = (tags: string[], people?: string) =>
    languagesToShow({ tags, list: people }, languages, { stdin, stdout, stderr, env: {}, now: Date.now })

  it('are those that the people of a list get, each once; without a list the default one', async () => {
    const people = list('email,language\na@b.example,pt\nb@b.example,pt-PT\nc@b.example,ja\nd@b.example,\n')
    expect(await shown([], people)).toEqual(['de', 'pt-BR'])
    expect(await shown(['en_US', 'pt'])).toEqual(['en', 'pt-BR'])
    expect(await shown([])).toEqual(['de'])
  })
})

describe('a preview of a company', () => {
  it('shows the logo in a browser too, in each language that a list gets', async () => {
    const { COMPANY_FILE, folder } = branded(FILE)
    const into = join(folder, 'preview')
    const people = list(
      'email,locale\nada@acme.example,en-GB\nbob@acme.example,Deutsch\ncarol@acme.example,\ndan@acme.example,de_AT\n',
    )
    const args = ['invite', 'preview', into, '--list', people]
    const { code, stderr } = await company().run(args, { env: { COMPANY_FILE } })
    expect([code, stderr]).toEqual([0, 'line 3: "Deutsch" is not a language tag like en, de or pt-BR\n'])
    const kinds = ['eml', 'html', 'txt']
    expect(readdirSync(into)).toEqual(
      ['invitation.de', 'invitation', 'reminder.de', 'reminder'].flatMap((name) =>
        kinds.map((kind) => `${name}.${kind}`),
      ),
    )
    expect(readFileSync(join(into, 'invitation.de.html'), 'utf8')).toContain('<html lang="de" dir="ltr">')
    expect(readFileSync(join(into, 'reminder.txt'), 'utf8')).toMatch(/^Subject: Reminder: connect 3 apps/)
    expect(readFileSync(join(into, 'invitation.html'), 'utf8')).toContain('src="data:image/png;base64,iVBOR')
    expect(readFileSync(join(into, 'invitation.eml'), 'utf8')).toContain('Content-ID: <logo@onramp>')
  })

  it('takes no language that is no tag', async () => {
    const run = await company().run(['invite', 'preview', '/nowhere', '--language', 'German'])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--language expects') as string })
  })
})
