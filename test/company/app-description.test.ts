// What the company says of an app, and the sign that it is seen by.
import { describe, expect, it } from 'vitest'
import { companyOf } from '../../src/company/company.ts'
import { createAppDescriptions, noDescription, iconOf } from '../../src/company/app-description.ts'

const company = companyOf(
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

describe('what is said of an app', () => {
  const about = createAppDescriptions(company)

  it('is the company’s, in the language of the person', () => {
    const said = {
      never: ['Private messages'],
      account: 'the one that ends with acme.example',
      help: 'Ask the help desk.',
      isRequired: true,
      logo: expect.stringContaining('/assets/apps/jira'),
    }
    for (let time = 0; time < 2; time++) {
      const english = { ...said, name: 'Tickets', reads: ['Boards'], why: 'Plans are there.' }
      expect(about('en')('jira_1')).toEqual(english)
      const german = { ...said, name: 'Aufgaben', reads: ['Tafeln'], why: 'Pläne sind da.' }
      expect(about('de')('jira_1')).toEqual(german)
    }
  })

  it('is nothing where the company says nothing, but for a mark that is known', () => {
    const nothing = { name: undefined, why: undefined, account: undefined, help: undefined, logo: undefined }
    const unsaid = { ...nothing, reads: [], never: [], isRequired: false }
    expect(noDescription).toStrictEqual(unsaid)
    expect(about('en')('intern_1')).toStrictEqual(unsaid)
    expect(about('en')('github_1')).toStrictEqual({ ...unsaid, logo: expect.stringContaining('github') })
    expect(about('en')('crm_1')).toStrictEqual({ ...unsaid, why: 'Customers are there.' })
  })
})

describe('the sign of an app', () => {
  it.each([
    ['a', 'tone-1'],
    ['b', 'tone-2'],
    ['ab', 'tone-3'],
    ['ä', 'tone-0'],
    ['👩a', 'tone-0'],
  ])('of %s has the %s', (instance, tone) => {
    const icon = iconOf({ name: 'Notes', instance }, () => noDescription)
    expect(icon).toEqual({ logo: undefined, initial: 'N', tone })
  })
})
