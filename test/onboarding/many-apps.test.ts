// The work of a page grows linearly with the number of apps, because one person with very many would block the process.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import type { Walk } from '../../src/onboarding/walk.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'
import { overviewPage, checkedWalk, unconnectedApp } from './overview-pages.ts'

/** Quadratic work takes seconds with so many apps. */
const APPS = 10_000
const MAX_MS = 500

const listed = (displayName: (number: number) => string) =>
  Array.from({ length: APPS }, (_, number) => unconnectedApp(`slack_${number}`, displayName(number)))
const ownNames = listed((number) => `Workspace ${number}`)
const shared = listed(() => 'Slack')
const half = shared.slice(APPS / 2)

it.each<[what: string, walk: Walk, account?: string]>([
  ['a name of its own', checkedWalk(ownNames)],
  ['a name of its own and one account of the company for all', checkedWalk(ownNames), 'your Acme account'],
  ['the same name', checkedWalk(shared)],
  ['the same name, and half of them connected', checkedWalk(half, checkedWalk(shared))],
  ['the same name and one account of the company for all', checkedWalk(shared), 'your Acme account'],
])('a page of ten thousand apps is rendered quickly, each with %s', (_what, walk, account) => {
  const about = () => ({ ...noDescription, account })
  expect(cpuTimeOf(() => void overviewPage(walk, { describe: about }))).toBeLessThan(MAX_MS)
})

it('a row counts its same-name apps instead of naming more than ten', () => {
  const many = (count: number) => checkedWalk(shared.slice(1, count), checkedWalk(shared.slice(0, count)))
  const textsOf = (walk: Walk) => overviewPage(walk).card?.lines.find(({ kind }) => kind === 'account')?.text
  expect(textsOf(many(10))).toContain('a different account or workspace here than for Slack')
  expect(textsOf(many(11))).toBe('You have 11 Slack accounts or workspaces.')
})
