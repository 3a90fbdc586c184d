// Many people after some weeks of a rollout, for the pages of admins.
import { openPeople } from '../../src/cli/store.ts'
import { newPerson, withMilestone, type PersonApp, type Person } from '../../src/people/person.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { openStore } from '../../src/records/store.ts'
import { createLog } from '../../src/web/log.ts'
import { withAppStates } from './people.ts'
import type { Running } from './running.ts'

const DAY_MS = 86_400_000

const GROUPS = [
  'Research and Development, Cross-Functional Platform Engineering, Berlin and Remote',
  '<b>Sales</b> & =1+1',
  'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzabteilung',
  'شؤون الموظفين',
]
const APPS = 'Slack,GitHub Enterprise,Google Drive,Jira,Confluence,Microsoft SharePoint Online'.split(',')
const STATES = ['unconnected', 'connected', 'skipped', 'blocked', 'off'] as const
const MAILS = ['sent', 'sent', 'sent', 'sent', 'sent', 'sent', 'deferred', 'failed', 'unknown'] as const

const displayName = (index: number) => APPS[index % APPS.length] ?? 'X'
const instanceOf = (index: number) => `${displayName(index).toLowerCase().replaceAll(' ', '_')}_${index}`
const NAMES = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [instanceOf(index), displayName(index)]),
)

/** Person 0 has forty unconnected apps, person 1 has connected everything, person 2 has no app. */
function appsOf(index: number): [string, PersonApp['state']][] {
  if (index === 0) return Array.from({ length: 40 }, (_, app) => [instanceOf(app), 'unconnected'])
  if (index % 10 === 2) return []
  const isDone = index % 3 === 1
  return Array.from({ length: 1 + (index % 5) }, (_, app) => {
    const state = isDone ? 'connected' : (STATES[(index + app) % STATES.length] ?? 'unconnected')
    return [instanceOf((index * 7 + app) % 40), state]
  })
}

export function crowdOf(count: number, now: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const at = now - ((index * 13) % 21) * DAY_MS - 1000
    const email = `firstname.lastname-${String(index).padStart(4, '0')}@acme.example`
    const group = GROUPS[index % (GROUPS.length + 1)]
    const person = group === undefined ? newPerson(email, at) : { ...newPerson(email, at), group }
    const state = MAILS[index % MAILS.length] ?? 'sent'
    const emailedPerson = withEmail(person, { campaign: 'c', reminder: 0, state, now: at })
    const openedPerson = index % 4 === 0 ? emailedPerson : withMilestone(emailedPerson, 'openedAt', at + 500)
    const signedInPerson =
      index % 3 === 0 ? openedPerson : withMilestone(openedPerson, 'signedInAt', at + 600)
    const checkedPerson = withAppStates(signedInPerson, Object.fromEntries(appsOf(index)), at + 900, NAMES)
    return index % 50 === 3 ? withMilestone(checkedPerson, 'optedOutAt', at) : checkedPerson
  })
}

/** Writes them into the store of a running onramp, like a command. */
export async function storePeople(running: Pick<Running, 'env'>, crowd: readonly Person[]): Promise<void> {
  const settings = loadSettings(running.env)
  const store = openStore(settings, createLog('silent'))
  try {
    const people = openPeople({ records: store.records, settings, now: Date.now })
    for (const person of crowd) await people.change(person.email, () => person)
  } finally {
    await store.close()
  }
}
