// The overview of a walk: texts, counts and actions.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import { skip, type UnconnectedApp } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import { NOW, drive, github, overviewPage, checkedWalk, slack, unconnectedApp } from './overview-pages.ts'

it('the overview mentions once that skipped apps can be connected any time', () => {
  const lead = (...apps: UnconnectedApp[]) =>
    overviewPage(apps.reduce((walk, { instance }) => skip(walk, instance, NOW), checkedWalk(apps))).lead
  expect(lead(slack)).toBe('You skipped this app. Connect it any time.')
  expect(lead(slack, github, drive)).toBe('You skipped all 3 apps. Connect them any time.')
})

it('the overview of more than ten apps has a search, and no estimate of minutes', () => {
  const apps = Array.from({ length: 11 }, (_, index) => unconnectedApp(`app_${index}`, `Wiki ${index}`))
  const visit = { datasources: ['app'], returnTo: '/search' }
  const many = overviewPage({ ...checkedWalk(apps), visit }, { query: ' wIKI 1' })

  expect(many.filter).toEqual({
    query: 'wIKI 1',
    visit: [
      ['datasource', 'app'],
      ['return_to', '/search'],
    ],
    all: '/onboarding?return_to=%2Fsearch',
    found: '2 apps match “wIKI 1”',
  })
  expect(many.rows.map(({ name }) => name)).toEqual(['Wiki 1', 'Wiki 10'])
  expect(many).toMatchObject({
    more: [],
    progress: { total: 5, minutes: 'About 5 minutes left' },
    title: expect.stringMatching(/^2 apps/),
  })
  expect(overviewPage(checkedWalk(apps), { query: 'zebra' })).toMatchObject({
    rows: [],
    filter: { found: 'No apps match “zebra”' },
  })
  // The search also finds the card's app.
  expect(overviewPage(checkedWalk(apps), { query: 'wiki 0' }).rows).toHaveLength(1)

  const few = overviewPage(checkedWalk(apps.slice(1)), { query: 'zebra' })
  expect(few).toMatchObject({ filter: undefined, progress: { minutes: 'About 10 minutes left' } })
  expect(few.rows).toHaveLength(5)
})

it('the finished overview shows the person’s name, the account, and how to disconnect', () => {
  const about = () => ({ ...noDescription, account: 'your Acme workspace' })
  const walk = checkedWalk([], checkedWalk([slack, github]))
  const end = overviewPage(walk, { name: 'Ada Lovelace', describe: about })

  expect(end.heading).toBe('You’re all set, Ada Lovelace')
  expect(end.connectedFor).toBe(
    'Connected for ada@acme.example. You can disconnect an app any time in that app’s own settings.',
  )
  expect(end.rows[0]?.notes).toContain('Connected through your Acme workspace')
  expect(overviewPage(walk, { name: 'A'.repeat(80), person: '' })).toMatchObject({
    heading: t('finished.title'),
    connectedFor: t('finished.disconnect'),
  })
  expect(overviewPage(checkedWalk([]))).toMatchObject({ connectedFor: '' })
  expect(overviewPage(checkedWalk([slack]), { describe: about }).connectedFor).toBe('')

  const rest = overviewPage(skip(checkedWalk([slack], checkedWalk([slack, github])), 'slack_1', NOW), {
    describe: about,
  })
  expect(rest.connectedFor).toBe(end.connectedFor)
  expect(rest.resume?.notes).toEqual(['Use your Acme workspace.'])
})
