// The resolved company file, and the neutral default.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Company } from '../../src/company/company.ts'
import { neutralCompany, resolveCompany } from '../../src/company/company.ts'
import { contrastFault } from '../../src/company/contrast.ts'
import { loadCompany } from '../../src/company/read-company.ts'
import { companyFolder, svg } from './company-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const ACME = `${root}examples/acme/company.yaml`

const companyOf = (yaml: string): Company => {
  using folder = companyFolder()
  folder.write('logo.svg', svg())
  const { company, faults } = folder.read(yaml)
  if (company === undefined) throw new Error(faults.join('\n'))
  return company
}

const company = loadCompany(ACME)

it('the example company file has the documented values', () => {
  expect(company).toMatchObject({ name: 'Acme', product: 'Acme Search', languages: ['en', 'de', 'ar'] })
  expect(company.color).toMatchObject({ light: { brand: '#0b6e5f' }, dark: { brand: '#4fd1b5' } })
  expect(company.links.help?.url).toBe('https://intranet.acme.example/search')
  expect(company.localized(company.links.help?.label, 'de-AT')).toBe('Such-Team kontaktieren')
  expect(company.datasourceOf('slack_1')).toMatchObject({ isRequired: true, isHidden: false, order: 1 })
  expect(company.assets.map(({ path }) => path.split('.')[0])).toEqual([
    '/assets/company/logo',
    '/assets/company/logo-dark',
    '/assets/company/icon',
  ])
})

it('company.schema.json accepts the example company file, and refuses the same faults as startup', () => {
  const schema = JSON.parse(readFileSync(`${root}company.schema.json`, 'utf8')) as object
  const validate = new Ajv2020({ strict: false }).compile(schema)
  const acme = parse(readFileSync(ACME, 'utf8')) as Record<string, unknown>
  expect(validate(acme), JSON.stringify(validate.errors)).toBe(true)
  for (const wrong of [{ nam: 'Acme' }, { logo: {} }, { languages: 'en' }, { color: { light: 'teal' } }])
    expect(validate({ ...acme, ...wrong })).toBe(false)
})

it.each([
  ['with one fault', 'nam: Acme', /^COMPANY_FILE has a fault: company\.yaml:1:1 nam: /],
  ['with two faults', 'nam: Acme\nproduct: 7', /^2 faults in COMPANY_FILE need to be fixed:\n/],
  ['that isn’t there', undefined, /^COMPANY_FILE names a file that cannot be read/],
])('a company file %s is refused under the name of its setting', (_title, yaml, message) => {
  using folder = companyFolder()
  const file = yaml === undefined ? folder.file : folder.write('company.yaml', yaml)
  expect(() => loadCompany(file)).toThrow(message)
})

it('without a company file the pages are neutral, and their color is readable', () => {
  const { name, product, logo, links, languages, color } = loadCompany(undefined)
  expect(name).toBeUndefined()
  expect(product).toBeUndefined()
  expect(logo).toBeUndefined()
  expect(languages).toEqual([])
  expect(Object.values(links).filter(Boolean)).toEqual([])
  expect(contrastFault(color.light.brand, 'light') ?? contrastFault(color.dark.brand, 'dark')).toBeUndefined()
  expect(neutralCompany.datasourceOf('slack_1')).toBeUndefined()
})

it('a company’s texts are in the person’s language, else the default one, else the first', () => {
  const { localized, examples, links } = companyOf(
    'languages: [de, en]\nexamples: { fr: [f], de: [d], pt-br: [p] }\nlinks: { home: { url: "https://a.example", label: Home } }',
  )

  expect(localized(examples, 'fr-CA')).toEqual(['f'])
  expect(localized(examples, 'pt-BR')).toEqual(['p'])
  expect(localized(examples, 'ja')).toEqual(['d'])
  expect(localized(links.home?.label, 'ja')).toBe('Home')
  expect(localized(undefined, 'en')).toBeUndefined()
  for (const [chosen, found] of [
    ['', 'f'],
    ['languages: [de-CH]\n', 'd'],
  ] as const) {
    const { localized: without, examples: two } = companyOf(`${chosen}examples: { fr: [f], de: [d] }`)
    expect(without(two, 'ja')).toEqual([found])
  }
})

const [eve, grace] = [['eve@acme.example'], ['grace@acme.example']]
it.each([
  ['names none', {}, { owners: grace, approve: 'https://slack.example' }],
  ['names an owner', { owner: eve }, { owners: eve, approve: 'https://slack.example' }],
  ['names a page', { approve: 'https://new.example' }, { owners: grace, approve: 'https://new.example' }],
])('an app that %s inherits the rest from the app that it replaces', (_title, own, approvers) => {
  const slack = { owner: grace, approve: 'https://slack.example' }
  const datasources = { slack, slack_2: { replaces: 'slack_1', ...own }, jira_2: { replaces: 'jira_1' } }
  const acme = resolveCompany({ datasources }, new Map())

  expect(acme.approversOf('slack_2', ['admin@acme.example'])).toEqual(approvers)
  expect(acme.approversOf('jira_2', ['admin@acme.example'])).toEqual({ owners: ['admin@acme.example'] })
})

it('a company replaces a text in its language only', () => {
  const { textsOf } = companyOf(
    'texts: { en: { overview.title: Connect, overview.lead: Hello }, en-gb: { overview.lead: Hi } }',
  )
  expect(textsOf('en-GB')).toEqual({ 'overview.title': 'Connect', 'overview.lead': 'Hi' })
  expect(textsOf('en')).toEqual({ 'overview.title': 'Connect', 'overview.lead': 'Hello' })
  expect(textsOf('de')).toEqual({})
})

it('the entry of an instance wins over its datasource’s and the general one', () => {
  const { datasourceOf } = companyOf(
    'datasources: { slack: { order: 2 }, slack_1: { order: 1 }, all: { order: 3 } }',
  )
  const orders = ['slack_1', 'slack_2', 'slack', 'jira_1'].map((one) => datasourceOf(one)?.order)
  expect(orders).toEqual([1, 2, 2, 3])
})

it('a company with one logo has it on dark pages too', () => {
  const { logo, assets } = companyOf('logo: { light: logo.svg }\ndatasources: { jira: { logo: logo.svg } }')
  expect(logo?.dark).toBe(logo?.light)
  expect(assets).toHaveLength(1)
})

it('startup accepts the examples of docs/company-file.md', () => {
  using folder = companyFolder()
  for (const name of ['logo.svg', 'logo-dark.svg', 'icon.svg', 'slack.svg']) folder.write(name, svg())
  const text = readFileSync(`${root}docs/company-file.md`, 'utf8')
  const examples = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = '']) => yaml)
  expect(examples.length).toBeGreaterThan(3)
  for (const example of examples) expect(folder.read(example).faults, example).toEqual([])
})
