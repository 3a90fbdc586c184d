// One person with very many apps holds up everyone else of the process, so the work may grow with their number, not with
// its square.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import type { Walk } from '../../src/onboarding/walk.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'
import { overviewPage, checkedWalk, waits } from './overview-pages.ts'

/** The square of it takes seconds. */
const APPS = 10_000
const MAX_MS = 500

const listed = (displayName: (number: number) => string) =>
  Array.from({ length: APPS }, (_, number) => waits(`slack_${number}`, displayName(number)))
const own = listed((number) => `Workspace ${number}`)
const shared = listed(() => 'Slack')
const half = shared.slice(APPS / 2)

it.each<[what: string, walk: Walk, account?: string]>([
  ['a name of its own', checkedWalk(own)],
  ['a name of its own and one account of the company for all', checkedWalk(own), 'your Acme account'],
  ['the same name', checkedWalk(shared)],
  ['the same name, and half of them connected', checkedWalk(half, checkedWalk(shared))],
  ['the same name and one account of the company for all', checkedWalk(shared), 'your Acme account'],
])('ten thousand apps make a page in a moment, each with %s', (_what, walk, account) => {
  const about = () => ({ ...noDescription, account })
  expect(cpuTimeOf(() => void overviewPage(walk, { describe: about }))).toBeLessThan(MAX_MS)
})

it('more than ten apps of one name are counted beside each, not named', () => {
  const many = (count: number) => checkedWalk(shared.slice(1, count), checkedWalk(shared.slice(0, count)))
  const textsOf = (walk: Walk) => overviewPage(walk).card?.lines.find(({ kind }) => kind === 'account')?.text
  expect(textsOf(many(10))).toContain('a different account or workspace here than for Slack')
  expect(textsOf(many(11))).toBe('You have 11 Slack accounts or workspaces.')
})
