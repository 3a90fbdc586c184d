// Descriptions and icons of apps from the company file.
import { expect, it } from 'vitest'
import { resolveCompany } from '../../src/company/company.ts'
import { createAppDescriptions, iconOf } from '../../src/company/app-description.ts'
import { noDescription } from '../helpers/no-description.ts'

const company = resolveCompany(
  {
    datasources: {
      jira: {
        name: { en: 'Tickets', de: 'Aufgaben' },
        reads: { en: ['Boards'], de: ['Tafeln'] },
        never: ['Private messages'],
        why: { en: 'Plans are there.', de: 'Pläne sind da.' },
        account: 'the one that ends with acme.example',
        help: 'Ask the help desk.',
        required: true,
      },
      crm: { why: 'Customers are there.' },
    },
  },
  new Map(),
)

const about = createAppDescriptions(company)

it('the description of an app is the company’s, in the language of the person', () => {
  const output = {
    never: ['Private messages'],
    account: 'the one that ends with acme.example',
    help: 'Ask the help desk.',
    isRequired: true,
    logo: expect.stringContaining('/assets/apps/jira'),
  }
  const english = { ...output, name: 'Tickets', reads: ['Boards'], why: 'Plans are there.' }
  expect(about('en')('jira_1')).toEqual(english)
  const german = { ...output, name: 'Aufgaben', reads: ['Tafeln'], why: 'Pläne sind da.' }
  expect(about('de')('jira_1')).toEqual(german)
})

it('an app without a description has none, except for a known icon', () => {
  const nothing = { name: undefined, why: undefined, account: undefined, help: undefined, logo: undefined }
  const unsaid = { ...nothing, reads: [], never: [], isRequired: false }
  expect(about('en')('intern_1')).toStrictEqual(unsaid)
  expect(about('en')('github_1')).toStrictEqual({ ...unsaid, logo: expect.stringContaining('github') })
  expect(about('en')('crm_1')).toStrictEqual({ ...unsaid, why: 'Customers are there.' })
})

it.each([
  ['a', 'tone-1'],
  ['b', 'tone-2'],
  ['ab', 'tone-3'],
  ['ä', 'tone-0'],
  ['👩a', 'tone-0'],
])('the icon of the instance %s has the color %s', (instance, tone) => {
  const icon = iconOf({ name: 'Notes', instance }, () => noDescription)
  expect(icon).toEqual({ logo: undefined, initial: 'N', tone })
})
