// Fixture: processes that record the progress of Ada’s pages in one store.
import { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import { applyCheck, newWalk } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { appsOf, withCheck } from '../../src/people/person.ts'
import { type User } from '../../src/session/signed-in.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { testPeople } from '../helpers/people.ts'
import { listedApp } from './overview-pages.ts'

export const NOW = Date.UTC(2026, 10, 2, 9)
export const MINUTE = 60_000
export const [slack, jira] = [listedApp('slack_1'), listedApp('jira_1')]
export const ada = {
  issuer: 'https://as.example',
  subject: 'ada',
  email: 'ada@acme.example',
  emailVerified: true,
}
export const KING = 'king@acme.example'

/**
 * One store and one walk of Ada, for any number of processes.
 * @param file the company file of each process
 */
export function setUpProgress(file: CompanyFile = {}) {
  const { records } = memoryRecords()
  let time = NOW
  let walk = newWalk(NOW)
  let isAway = false
  let isEveryoneChecked = false
  let writes = 0
  let [underWay, most] = [0, 0]
  const delisted = new Set<string>()
  const notified: unknown[] = []

  function startProcess({ skew = 0, user = ada }: { skew?: number; user?: User } = {}) {
    const now = () => time + skew
    const company = resolveCompany(file, new Map())
    const people = testPeople({ records, now, company, onEvents: () => {} })
    const change: typeof people.change = async (email, how, loaded) => {
      writes++
      if (isAway) throw new Error('away')
      most = Math.max(most, ++underWay)
      return await people.change(email, how, loaded).finally(() => underWay--)
    }
    const rename: typeof people.rename = (...given) =>
      isAway ? Promise.reject(new Error('away')) : people.rename(...given)
    const addressAt: typeof people.addressAt = (...given) => people.addressAt(...given)
    const progress = new ProgressRecorder(
      {
        get: (email) => people.get(email),
        change,
        rename,
        addressAt,
        shownApps: (apps) => people.shownApps(apps),
      },
      {
        instances: () => Promise.resolve(delisted),
        isEveryoneChecked: () => Promise.resolve(isEveryoneChecked),
      },
      { warn: (...line: unknown[]) => void notified.push(line) },
      now,
    )
    return {
      people,
      progress,
      fail: (at: number) =>
        progress.recordFailure(user, { at, instance: 'slack_1', code: 'service_unavailable' }),
      recordChoice: (choice: (before: Walk) => Walk) => {
        walk = choice(walk)
        return progress.recordIntents(user, walk)
      },
      page: async (unconnected: UnconnectedApp[], choice = (before: Walk) => before) => {
        walk = applyCheck(choice(walk), unconnected, now(), 90)
        return await progress.recordProgress(user, walk, now())
      },
      campaign: (unconnected: UnconnectedApp[]) =>
        people.change(ada.email, (before) =>
          withCheck(before, { checkedAt: now(), unconnected: people.shownApps(unconnected) }, now()),
        ),
    }
  }

  async function report() {
    const person = await startProcess().people.get(ada.email)
    return person && appsOf(person).map(({ instance, state }) => `${instance} ${state}`)
  }
  return {
    startProcess,
    report,
    advance: (milliseconds: number) => void (time += milliseconds),
    setStoreAway: (is: boolean) => void (isAway = is),
    /** Runs of `keep` check everyone. */
    startKeep: () => void (isEveryoneChecked = true),
    loseWalk: () => void (walk = newWalk(time)),
    written: () => writes,
    notified,
    delisted,
    mostAtOnce: () => most,
  }
}
