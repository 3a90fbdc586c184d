// Two apps with the same name: advice to connect each to a different account.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import { type UnconnectedApp, type Walk, skip } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import {
  CONFIRM,
  github,
  NOW,
  returnedWalk,
  overviewPage,
  checkedWalk,
  slack,
  unconnectedApp,
} from './overview-pages.ts'

const slack2 = unconnectedApp('slack_2', 'Slack')
const slack3 = unconnectedApp('slack_3', 'Slack')
type Context = Parameters<typeof overviewPage>[1]
const headlineOf = (walk: Walk, context: Context = {}) =>
  overviewPage(walk, context).card?.lines.find(({ kind }) => kind === 'account')?.text
const rowOf = (walk: Walk, instance: string) =>
  overviewPage(walk).rows.find((row) => row.instance === instance)
const accountIn = (walk: Walk, instance: string) => rowOf(walk, instance)?.notes[0]

const TWO = 'You have two Slack accounts or workspaces.'
const TWICE = `${TWO} Start with either.`
const TAKEN = 'Choose a different account or workspace here than for Slack.'
const AGAIN = 'Use the same account or workspace as before.'
const OFF = 'Slack\u00a0(2) can’t be connected right now. Connect Slack only.'
const OTHERS = 'Use your work account (ada@acme.example)'

it('the card of a same-name app mentions that there are several to connect', () => {
  expect(headlineOf(checkedWalk([slack, slack2, github]))).toBe(TWICE)
  expect(headlineOf(checkedWalk([slack, slack2, slack3]))).toBe(
    'You have 3 Slack accounts or workspaces. Start with any of them.',
  )
})

it('the card of a same-name app names the account of the connected one', () => {
  expect(headlineOf(checkedWalk([slack2], checkedWalk([slack, slack2])))).toBe(TAKEN)
  expect(headlineOf(returnedWalk([slack, slack2]))).toBe(TAKEN)
  expect(headlineOf(returnedWalk([slack, github]))).toContain(OTHERS)
})

it('the card of a same-name app gives no advice if no other one is shown', () => {
  expect(headlineOf(checkedWalk([slack, github]))).toContain(OTHERS)
  const walk = checkedWalk([slack, slack2])
  expect(headlineOf({ ...walk, visit: { ...walk.visit, datasources: ['slack_2'] } })).toContain(OTHERS)
})

it('the card of a same-name app explains its number if the other one is off', () => {
  const off = unconnectedApp('slack_2', 'Slack', 'disabled')
  expect(headlineOf(checkedWalk([slack, off]))).toBe(OFF)
  expect(headlineOf(checkedWalk([slack, off, slack3]))).toContain('3 Slack accounts')
  expect(accountIn(checkedWalk([github, slack, off]), 'slack_1')).toBe(OFF)
})

it('the card of a stale same-name app names the account to use', () => {
  const stale = unconnectedApp('slack_1', 'Slack', 'stale')
  const other = unconnectedApp('slack_2', 'Slack', 'stale')
  const allTexts = (walk: Walk) => {
    const { paragraphs = [], lines = [] } = overviewPage(walk).card ?? {}
    return [...paragraphs, ...lines.slice(1).map(({ text }) => text)]
  }
  const explained = t('next.explainStale')

  expect(allTexts(checkedWalk([stale, slack2]))).toEqual([explained, AGAIN])
  expect(allTexts(checkedWalk([stale], checkedWalk([slack, slack2])))).toEqual([
    explained,
    TAKEN.replace('Slack.', 'Slack\u00a0(2).'),
  ])
  // The other app may be connected and so not on the list, and any account fits a single app.
  expect(allTexts(checkedWalk([unconnectedApp('github_1', 'GitHub', 'stale'), slack]))).toEqual([
    explained,
    AGAIN,
  ])
  expect(accountIn(checkedWalk([stale, other]), 'slack_2')).toBe(AGAIN)
})

it('an opened row of a same-name app shows the same advice', () => {
  expect(accountIn(checkedWalk([slack, slack2, github]), 'slack_2')).toBe(TWICE)
  expect(accountIn(checkedWalk([slack, slack2, github]), 'github_1')).toBeUndefined()
  expect(accountIn(skip(checkedWalk([slack, slack2]), 'slack_1', NOW), 'slack_1')).toBe(TWICE)
  // The person just chose this app's account; the other app needs a different one.
  const confirming = returnedWalk([slack, github, slack2])
  expect(accountIn(confirming, 'slack_1')).toEqual(TWO)
  expect(accountIn(confirming, 'slack_2')).toEqual(TAKEN)
})

const given =
  (accounts: Record<string, string>) =>
  (instance: string): typeof noDescription => ({ ...noDescription, account: accounts[instance] })
const walkWithTwoSlacks = checkedWalk([slack, slack2, github])
const textsIn = (walk: Walk, accounts: Record<string, string>) => {
  const about = given(accounts)
  return {
    output: headlineOf(walk, { describe: about }),
    note: overviewPage(walk, { describe: about }).rows[0]?.notes[0],
  }
}

it('the company’s account is omitted if two same-name apps share it', () => {
  const same = { slack_1: 'your Acme workspace', slack_2: 'your Acme workspace' }
  expect(textsIn(walkWithTwoSlacks, same)).toEqual({ output: TWICE, note: TWICE })
  expect(textsIn(checkedWalk([slack2], checkedWalk([slack, slack2])), same)).toMatchObject({ output: TAKEN })
  const narrowed = { ...walkWithTwoSlacks, visit: { ...walkWithTwoSlacks.visit, datasources: ['slack_2'] } }
  expect(textsIn(narrowed, same).output).toContain(OTHERS)
  expect(textsIn(checkedWalk([slack, github]), same).output).toBe('Use your Acme workspace.')
})

it('the company’s account replaces other advice if each app has its own', () => {
  const accounts = { slack_1: 'your Acme workspace', slack_2: 'the Sales workspace' }
  expect(textsIn(walkWithTwoSlacks, accounts)).toEqual({
    output: 'Use your Acme workspace.',
    note: 'Use the Sales workspace.',
  })
})

it('a person with an unconfirmed same-name app is advised to use the other account', () => {
  const fixesOf = (...apps: UnconnectedApp[]) => {
    const now = NOW + (CONFIRM + 1) * 1_000
    const { card } = overviewPage(checkedWalk(apps, returnedWalk(apps), now), { now, from: 'slack_1' })
    expect(card?.kind).toBe('unconfirmed')
    return card?.fixes
  }
  expect(fixesOf(slack, slack2)?.[1]).toBe(t('attend.fixAlike', { app: 'Slack' }))
  expect(fixesOf(slack, github)?.[1]).toBe(t('attend.fix2'))
})
