// Faults of a company file: all at once, each with its line, and without false positives.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readCompany } from '../../src/company/read-company.ts'
import { companyFolder, png, svg } from './company-folder.ts'

const FAULTY = readFileSync(new URL('../fixtures/company/faulty.yaml', import.meta.url), 'utf8')

const knownTexts = new Map([
  ['overview.title', 'Your apps'],
  ['overview.progress', '{count} of {total}'],
  ['overview.start', 'Start with {app}'],
])

const faultsOf = (yaml: string): readonly string[] => {
  using folder = companyFolder()
  folder.write('logo.svg', svg())
  return folder.read(yaml).faults
}

using folder = companyFolder()
folder.write('page.svg', '<html></html>')
folder.write('big.png', png(300_000))
const { company, faults } = folder.read(FAULTY, { knownTexts })

it('thirty faults of a company file are each rejected with line and fix', () => {
  expect(company).toBeUndefined()
  expect(faults).toEqual([
    'company.yaml:2:1 name: must be text: put it in quotes',
    'company.yaml:3:1 produkt: is not a key of company files: did you mean product?',
    'company.yaml:4:1 product: is empty: give it a value or remove the line',
    "company.yaml:6:3 logo.light: nowhere.svg doesn't exist: check the path",
    "company.yaml:7:3 logo.dark: ../outside.svg is outside of the company file's folder: copy it there",
    "company.yaml:8:3 logo.icon: page.svg isn't an SVG, PNG, WebP or JPEG image: save it as one of them",
    'company.yaml:9:3 logo.print: is not a key of company files: known are light, dark, icon',
    'company.yaml:11:3 color.light: has a contrast of 1.79:1 on #ffffff, and text needs 4.5:1: make it darker',
    "company.yaml:12:3 color.dark: must be a color like '#0b6e5f', in quotes",
    'company.yaml:14:11 links.help.url: must start with https:// or mailto:, not with ftp:',
    'company.yaml:15:14 links.privacy.url: must start with https://, not with mailto:',
    'company.yaml:16:11 links.home.url: must start with https:// (plain http is accepted for loopback addresses only)',
    'company.yaml:17:3 links.search.url: is missing: add it',
    'company.yaml:20:5 languages.1: is not a language tag: write it like en, de or pt-BR',
    'company.yaml:21:5 languages.2: is not a known language: write a tag like en, de or pt-BR',
    'company.yaml:22:5 languages.3: must be text: put it in quotes',
    'company.yaml:25:5 texts.en.overview.titel: is not a text of onramp: did you mean overview.title?',
    'company.yaml:26:5 texts.en.overview.progress: lacks {total}: put it where the value belongs',
    'company.yaml:27:5 texts.en.overview.start: has {place}, which onramp does not fill in: it may have {app}',
    'company.yaml:28:3 texts.de_DE: is not a language tag: write it like en, de or pt-BR',
    'company.yaml:29:1 examples: must be a list, or a list for each language, like { en: [One, Two] }',
    'company.yaml:32:5 datasources.slack.logo: big.png is 293 KB, more than 256 KB: make it smaller',
    'company.yaml:33:14 datasources.slack.reads.en: must be a list, like [one, two]',
    'company.yaml:34:16 datasources.slack.account.en: must be text: put it in quotes',
    'company.yaml:35:5 datasources.slack.order: must be a whole number, like 1',
    'company.yaml:36:5 datasources.slack.required: must be true or false',
    'company.yaml:37:5 datasources.slack.readz: is not a key of company files: did you mean reads?',
    'company.yaml:39:5 datasources.github.order: must be a whole number, like 1',
    'company.yaml:40:5 datasources.github.help: is empty: write a text or remove the line',
    'company.yaml:42:5 hidden: is repeated: keep one of them',
  ])
})

// prettier-ignore
it.each([
  ['an unquoted colour', 'color:\n  light: #0b6e5f\n', 2, /quotes, because # begins a comment/],
  ['a tab', 'logo:\n\tlight: logo.svg\n', 2, /tab|YAML/],
  ['a quote that is not closed', 'name: Acme\nproduct: "Acme\n', 3, /is not YAML/],
  ['a second document', 'name: Acme\n---\nname: Other\n', 2, /second document/],
  ['an alias without its anchor', 'name: Acme\nproduct: *acme\n', 2, /\*acme refers to nothing/],
  ['a language twice', 'languages: [en, de, en]', 1, /has a language twice/],
  ['keys in the place of a key', 'name: Acme\n{ a: b }: c\n', 2, /key that is not plain text/],
  ['a key that is many lines long', '"a\\nb\\e[31m": c\n', 1, /^[^\p{Cc}]+ is not a key|is not a key/u],
  ['a list in the place of keys', '- Acme\n', 1, /must hold keys with values/],
  ['an address with a password', 'links: { home: { url: "https://a:b@acme.example" } }', 1, /password/],
  ['an invalid address', 'links: { home: { url: "intranet" } }', 1, /is not an address/],
  ['a script as an address', 'links: { help: { url: "javascript:alert(1)" } }', 1, /must start with/],
  ['a language of a text that does not exist', 'examples: { english: [x] }', 1, /not a language tag/],
  ['a number for a text', 'links: { home: { url: "https://a.example", label: 3 } }', 1, /for each lang/],
  ['an app that replaces itself', 'datasources: { a_1: { replaces: a_1 } }', 1, /is for one instance/],
  [
    'a chain of them',
    'datasources: { a_2: { replaces: a_1 }, a_3: { replaces: a_2 } }',
    1,
    /keep only the newest of them, and give the oldest hidden: true/,
  ],
  ['an app that two others replace', 'datasources: { a_2: { replaces: a_1 }, a_3: { replaces: a_1 } }', 1, /a_3.*another one replaces already/],
  ['apps that replace one', 'datasources: { slack: { replaces: slack_1 } }', 1, /names another one/],
  ['a quiet day that is none', 'quiet: [2027-02-30]', 1, /quiet\.0: must be a day, like 2027-01-11/],
  ['quiet days backwards', 'quiet: [2027-01-02/2027-01-01]', 1, /the first and the last one/],
  ['an owner without an address', 'datasources: { slack: { owner: [Grace] } }', 1, /email address/],
  ['an approval without TLS', 'datasources: { slack: { approve: "http://acme.example" } }', 1, /https/],
  ['quiet days of no one', 'quiet: [{ group: Paris }]', 1, /dates: is missing/],
  ['a place that is out of range', 'datasources: { slack: { order: -1 } }', 1, /between 0 and 1000/],
])('a company file with %s is reported once, at its line', (_title, yaml, line, message) => {
  const reported = faultsOf(yaml)
  expect(reported).toHaveLength(1)
  expect(reported[0]).toMatch(new RegExp(`^company\\.yaml:${line}:\\d+ `))
  expect(reported[0]).toMatch(message)
})

it('a company file may be empty, use anchors, and leave out everything', () => {
  expect(faultsOf('')).toEqual([])
  expect(faultsOf('# later\n')).toEqual([])
  expect(faultsOf('datasources:\n  slack: &usual { help: Needs the VPN }\n  jira: *usual\n')).toEqual([])
})

it('a merge key takes the keys of another app that aren’t named again', () => {
  using files = companyFolder()
  const slack = 'slack: &slack { help: Needs the VPN, order: 1 }'
  const { company: merged } = files.read(
    `datasources:\n  ${slack}\n  slack_2: { <<: *slack, name: Slack EU, order: 2 }\n`,
  )
  expect(merged?.displayName({ instance: 'slack_2', name: 'Slack' }, 'en')).toBe('Slack EU')
  expect(merged?.datasources.get('slack_2')?.help?.get('')).toBe('Needs the VPN')
  expect(faultsOf(`datasources:\n  ${slack}\n  slack_2: { <<: *slack, colour: red }\n`)).toHaveLength(1)
})

it('a company file may link to a loopback address and a mailbox', () => {
  expect(
    faultsOf('links: { home: { url: "http://localhost:8080/" }, help: { url: "mailto:it@acme.example" } }'),
  ).toEqual([])
})

it('a company file offers only languages that the pages have', () => {
  using scratch = companyFolder()
  const resolved = scratch.read('languages: [en, fr]', { knownLanguages: ['en', 'de'] })
  expect(resolved.faults).toEqual([
    'company.yaml:1:17 languages.1: is not a language of the pages: choose from en, de',
  ])
})

it('a company file that is missing or not text is reported with its setting', () => {
  using scratch = companyFolder()
  expect(readCompany(scratch.file).faults).toEqual([
    'COMPANY_FILE names a file that cannot be read (ENOENT): it takes the path of a YAML file',
  ])
  expect(readCompany(scratch.write('company.yaml', png())).faults[0]).toMatch(/^COMPANY_FILE names a file/)
  const latin1 = Buffer.from('name: Café', 'latin1')
  expect(readCompany(scratch.write('company.yaml', latin1)).faults).toEqual([
    'COMPANY_FILE names a file that is not UTF-8: save it as UTF-8',
  ])
})
