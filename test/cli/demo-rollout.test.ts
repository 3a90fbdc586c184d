// The rollout that `onramp demo` invents for the admins' pages.
import { expect, it } from 'vitest'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { createRollout, replayRollout } from '../../src/cli/demo/rollout.ts'
import { openKeepState, openPeople, withStore } from '../../src/cli/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { useFolder } from '../helpers/folder.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const NOW = Date.parse('2026-11-27T10:00:00Z')
const settings = loadSettings({ ...REQUIRED, DATA_DIR: useFolder() })

it('the demo shows 200 people of the sandbox in their second week, in each state', async () => {
  const rollout = createRollout(NOW)

  await replayRollout(rollout, settings, NOW)

  await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now: () => NOW })
    const report = await createReport(summarizeAll(people.all()), NOW)
    expect(report).toMatchObject({ people: 200, fellBack: 2, notInvited: 8, failed: 3 })
    expect(report.ready + report.inProgress + report.notStarted + report.stuck + report.fellBack).toBe(200)
    expect(Math.min(report.ready, report.inProgress, report.notStarted, report.stuck)).toBeGreaterThan(15)
    const { lastRunAt, days } = await openKeepState(records, settings).load()
    expect(lastRunAt).toEqual(NOW)
    expect(days[0]?.day).toBe('2026-11-16')
    expect(days.at(-1)?.ready).toEqual(report.ready)
    for (const { person } of rollout) {
      const storedPerson = await people.get(person.email)
      const connected = storedPerson?.lastCheck?.apps.filter(({ status }) => status === 'connected') ?? []
      const authorized = person.datasources.filter((datasource) => datasource.authorized)
      expect(connected.map(({ instance }) => instance).toSorted()).toEqual(
        authorized.map(({ instance }) => instance).toSorted(),
      )
    }
  })
})
