// Previews of emails: files in a folder, or an email to one address.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { runCommand } from '../cli/run-command.ts'
import { useCompany } from './command.ts'
import { png } from './emails.ts'

const { company, received, recipients, run } = useCompany()
const folder = useFolder()

it('a preview writes each kind of email as files', async () => {
  const into = join(folder, 'new', 'preview')
  const { code, stdout } = await run(['invite', 'preview', into])

  expect(code).toBe(0)
  const files = readdirSync(into).map((file) => join(into, file))
  expect(stdout.trim().split('\n').toSorted()).toEqual(files.toSorted())

  const eml = await PostalMime.parse(readFileSync(join(into, 'invitation.eml')))
  expect(eml).toMatchObject({ subject: 'Connect 3 apps to search', from: { address: 'search@acme.example' } })
  expect(eml.text).toContain('http://localhost:3000/invite/')
  expect(readFileSync(join(into, 'reminder.txt'), 'utf8')).toMatch(
    /^Subject: 3 apps left\..+1 of your 4 apps/s,
  )
  expect(readFileSync(join(into, 'lapse.txt'), 'utf8')).toMatch(
    /^Subject: 3 apps need your OK again for search\n/,
  )
  expect(readFileSync(join(into, 'invitation.html'), 'utf8')).toContain('<bdi>Google Drive</bdi></td>')
})

it('a preview checks, sends and saves nothing', async () => {
  expect(await run(['invite', 'preview', join(folder, 'only')])).toMatchObject({ code: 0 })
  expect(company().sandbox.requests).toEqual([])
  expect(received()).toEqual([])
  expect(existsSync(company().env['DATA_DIR'] ?? '')).toBe(false)
})

it('a preview replaces files, and reports a folder that it can’t write', async () => {
  const into = join(folder, 'again')
  const preview = (path: string) => runCommand(['invite', 'preview', path], company().env)
  for (const _again of [1, 2]) expect(await preview(into)).toMatchObject({ exit: 0, err: '' })
  const { exit, err } = await preview(join(into, 'invitation.txt'))
  expect(exit).toBe(2)
  expect(err).toContain(`can't write to ${join(into, 'invitation.txt')} (EEXIST)`)
})

it('a preview can be sent to one address', async () => {
  const { code, stderr } = await run(['invite', 'preview', '--to', 'Me@acme.example'])
  expect([code, stderr]).toEqual([0, 'Sent to me@acme.example.\n'])
  expect(recipients()).toEqual(['me@acme.example'])
})

it('a preview reports an error in a template or in its arguments', async () => {
  const template = await run(['invite', 'preview', folder, '--template', '/nowhere'])
  expect(template).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere has no') as string })
  for (const args of [[], [folder, '--to', 'me@acme.example'], [folder, '--language', 'German']])
    expect((await runCommand(['invite', 'preview', ...args], company().env)).exit).toBe(2)
})

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

/** Writes the company file and its logo. */
function createBrandedCompany(content: string) {
  const path = company().list('company.yaml', content)
  const into = dirname(path)
  writeFileSync(join(into, 'logo.png'), png(64, 64))
  return { COMPANY_FILE: path, into }
}

it('hidden apps are neither named nor counted in emails', async () => {
  const { COMPANY_FILE } = createBrandedCompany(FILE)
  const people = company().list('people.csv', 'email,language\nada@acme.example,sw\nbob@acme.example,en\n')
  const env = { COMPANY_FILE, DATA_DIR: join(folder, 'data') }
  const { code, stderr } = await run(['invite', 'send', people], { env })
  expect(code).toBe(0)
  expect(stderr).toContain('1  not due')
  expect(recipients()).toEqual(['ada@acme.example'])
  const mail = await PostalMime.parse(received()[0]?.raw ?? '')
  expect(mail.subject).toBe('Connect 3 apps to Acme Search')
  expect(mail.text).toContain('\n  - Jira\n  - GitHub\n  - Confluence\n')
  expect(mail.html).toContain('>Start at Acme Search</a>')
  expect(mail.html).not.toMatch(/Slack|Google Drive/)
})

it('a preview has the company’s branding, in each language of the people on a list', async () => {
  const { COMPANY_FILE, into } = createBrandedCompany(FILE)
  const preview = join(into, 'preview')
  const rows = 'ada@acme.example,en-GB\nbob,fr\ncarol@acme.example,\ndan@acme.example,de_AT\n'
  const people = company().list('people.csv', `email,locale\n${rows}`)
  const env = { ...company().env, COMPANY_FILE }

  const shown = await runCommand(['invite', 'preview', preview, '--list', people], env)
  expect(shown.err).toBe('line 3: "bob" is not a valid email address\n')
  const kinds = ['eml', 'html', 'txt']
  expect(readdirSync(preview)).toEqual(
    [
      'invitation.de',
      'invitation',
      'lapse.de',
      'lapse',
      'new-app.de',
      'new-app',
      'reminder.de',
      'reminder',
    ].flatMap((name) => kinds.map((kind) => `${name}.${kind}`)),
  )
  expect(readFileSync(join(preview, 'invitation.de.html'), 'utf8')).toContain('<html lang="de" dir="ltr">')
  expect(readFileSync(join(preview, 'invitation.html'), 'utf8')).toContain('src="data:image/png;base64,iVBOR')
  expect(readFileSync(join(preview, 'invitation.eml'), 'utf8')).toContain('Content-ID: <logo@onramp>')
})
