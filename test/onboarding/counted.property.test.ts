// Whatever happened before, the report says what the person's last page says: two processes with clocks of their own, one
// of which hides an app; pages and words that could not be told; answers that `invite send` writes down late.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { companyOf, neutralCompany } from '../../src/company/company.ts'
import { type Waiting, type Walk, block, skip, unblock, unskip } from '../../src/onboarding/walk.ts'
import { sourcesOf } from '../../src/onboarding/watched-walks.ts'
import { github, jira, MINUTE, office } from './counted-office.ts'
import { NOW, slack } from './seen.ts'

const APPS = [slack, jira, github]
const COMPANIES = [neutralCompany, companyOf({ datasources: { slack: { hidden: true } } }, new Map())]
const WORDS: ((walk: Walk, instance: string) => Walk)[] = [
  (walk, instance) => skip(walk, instance, NOW),
  (walk, instance) => block(walk, instance, NOW),
  unskip,
  unblock,
]

type Status = Waiting['status'] | 'connected'

/** What happens at process `by`; `isTold` false: the store is away while it is told, or the process dies. */
type Act =
  | { kind: 'page'; by: number; isTold: boolean }
  | { kind: 'word'; by: number; isTold: boolean; app: number; word: number }
  | { kind: 'service'; app: number; says: Status }
  | { kind: 'ask' | 'write'; by: number }
  | { kind: 'restart'; by: number; company: number }
  | { kind: 'pass'; by: number }
  | { kind: 'lost' }

const by = fc.constantFrom(0, 1)
const app = fc.constantFrom(0, 1, 2)
const isTold = fc.constantFrom(true, true, true, false)
const says = fc.constantFrom<Status>('awaiting', 'disabled', 'connected')
const wait = fc.constantFrom(0, MINUTE)
const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: kind('page'), by, isTold }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('word'), by, isTold, app, word: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('service'), app, says }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('ask', 'write'), by }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('restart'), by, company: by }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('pass'), by }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('lost') }) },
)

const isOver = (said: string) => said.endsWith(' connected')

/** @param skews how far the clock of each process is ahead, in milliseconds @param wait before the last page */
async function live(skews: readonly number[], acts: readonly Act[], wait: number) {
  const { started, pass, away, report, loseWalks } = office()
  const service = new Map<string, Status>([slack, jira].map(({ instance }) => [instance, 'awaiting']))
  const listed = () =>
    APPS.flatMap((one) => {
      const status = service.get(one.instance) ?? 'connected'
      return status === 'connected' ? [] : [{ ...one, status }]
    })
  const start = (index: number, company: number) => ({
    company: COMPANIES[company] ?? neutralCompany,
    ...started({ skew: skews[index] ?? 0, waits: [], company: COMPANIES[company] ?? neutralCompany }),
  })
  const processes = [start(0, 0), start(1, 1)]
  const at = (index: number) => processes[index] ?? start(index, 0)
  const late: (() => Promise<unknown>)[] = []
  const connected = new Set<string>()

  for (const one of acts) {
    if ('isTold' in one) away(!one.isTold)
    if (one.kind === 'page') await at(one.by).page(listed())
    if (one.kind === 'word')
      await at(one.by).say((walk) => (WORDS[one.word] ?? unskip)(walk, APPS[one.app]?.instance ?? ''))
    away(false)
    if (one.kind === 'service') service.set(APPS[one.app]?.instance ?? '', one.says)
    if (one.kind === 'service' && one.says === 'connected') connected.add(APPS[one.app]?.instance ?? '')
    if (one.kind === 'ask') late.push(await at(one.by).ask(listed()))
    if (one.kind === 'write') await late.shift()?.()
    if (one.kind === 'restart') processes[one.by] = start(one.by, one.company)
    if (one.kind === 'pass') pass(one.by === 0 ? 1_000 : MINUTE)
    if (one.kind === 'lost') {
      loseWalks()
      pass(1)
    }
    for (const company of COMPANIES) {
      const { apps = [], isFinished, outbox } = await report(company)
      const counted = apps.filter((said) => !said.endsWith(' off'))
      expect(isFinished).toBe(counted.length > 0 && counted.every(isOver))
      const told = outbox.flatMap((line) => line.split('app.connected ').slice(1))
      expect([...connected]).toEqual(expect.arrayContaining(told))
    }
  }
  // What `invite send` wrote a moment ago may show a minute later.
  pass(acts.some((one) => one.kind === 'write') ? MINUTE : wait)
  const last = at(0)
  const walk = await last.page(listed())
  return { walk, company: last.company, report: await report(last.company) }
}

it.each([
  ['the same', [0, 0]],
  ['that differ by five minutes', [0, 5 * MINUTE]],
  ['that differ by five minutes the other way', [5 * MINUTE, 0]],
])('the report is what the last page is, with clocks %s', async (_how, skews) => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 16, size: 'max' }), wait, async (acts, ms) => {
      const { walk, report } = await live(skews, acts, ms)
      const shown = sourcesOf(walk, NOW).map(({ instance, state }) => `${instance} ${state}`)
      const rest = (report.apps ?? []).filter((said) => !shown.includes(said))
      expect(report.apps ?? []).toEqual(expect.arrayContaining(shown))
      // What the walk has never seen, `invite send` may have.
      expect(rest.filter((said) => !isOver(said))).toEqual([])
    }),
    { numRuns: 300 },
  )
})
