// The work of a page grows linearly with the number of apps, because one person with very many would block the process.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import type { Walk } from '../../src/onboarding/walk.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'
import { overviewPage, checkedWalk, unconnectedApp } from './overview-pages.ts'

const APPS = 10_000
const PAGES = 10
/** A page with all apps, compared with ten pages of a tenth each: 1 for linear work, 10 for quadratic work. */
const MAX_RATIO = 5

/** The least of five rounds, because collected garbage is no work of the page; a time below `enough` ends them. */
function leastTimeOf(work: () => void, enough = 0): number {
  let least = Infinity
  for (let round = 0; round < 5 && least >= enough; round++) least = Math.min(least, cpuTimeOf(work))
  return least
}

const listed = (count: number, displayName: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => unconnectedApp(`slack_${number}`, displayName(number)))
const ownNames = (count: number) => listed(count, (number) => `Workspace ${number}`)
const shared = (count: number) => listed(count, () => 'Slack')
const halfConnected = (count: number) =>
  checkedWalk(shared(count).slice(count / 2), checkedWalk(shared(count)))

// prettier-ignore
it.each<[title: string, walkWith: (count: number) => Walk, account?: string]>([
  ['a name of its own', (count) => checkedWalk(ownNames(count))],
  ['a name of its own and one account of the company for all', (count) => checkedWalk(ownNames(count)), 'your Acme account'],
  ['the same name', (count) => checkedWalk(shared(count))],
  ['the same name, and half of them connected', halfConnected],
  ['the same name and one account of the company for all', (count) => checkedWalk(shared(count)), 'your Acme account'],
])('the work of a page grows no faster than its apps, each with %s', (_title, walkWith, account) => {
  const render = (walk: Walk) => void overviewPage(walk, { describe: () => ({ ...noDescription, account }) })
  const [few, many] = [walkWith(APPS / PAGES), walkWith(APPS)]
  const timeOfFew = leastTimeOf(() => Array.from({ length: PAGES }, () => render(few)))
  const timeOfMany = leastTimeOf(() => render(many), timeOfFew * MAX_RATIO)
  expect(timeOfMany / timeOfFew).toBeLessThan(MAX_RATIO)
})

it('a row counts its same-name apps instead of naming more than ten', () => {
  const many = (count: number) => checkedWalk(shared(count).slice(1), checkedWalk(shared(count)))
  const textsOf = (walk: Walk) => overviewPage(walk).card?.lines.find(({ kind }) => kind === 'account')?.text
  expect(textsOf(many(10))).toContain('a different account or workspace here than for Slack')
  expect(textsOf(many(11))).toBe('You have 11 Slack accounts or workspaces.')
})
