// Fixture: walks and overview pages for responses of the service.
import { finishReturn, startConsent, applyCheck, newWalk } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { noDescription } from '../helpers/no-description.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { t } from '../helpers/texts.ts'

type OverviewPage = ReturnType<typeof overviewOf>

export const NOW = Date.UTC(2026, 10, 21, 9)
export const CONFIRM = 90

export const unconnectedApp = (
  instance: string,
  name = instance,
  status: UnconnectedApp['status'] = 'awaiting',
): UnconnectedApp => ({ instance, name, status })
/** An unconnected app whose name is its instance. */
export const listedApp = (instance: string, status?: UnconnectedApp['status']) =>
  unconnectedApp(instance, instance, status)
export const slack = unconnectedApp('slack_1', 'Slack')
export const github = unconnectedApp('github_1', 'GitHub')
export const drive = unconnectedApp('gdrive_1', 'Google Drive')

/** A walk after a check, where CONFIRM_SECONDS is 90. */
export const checkedWalk = (unconnected: UnconnectedApp[], walk: Walk = newWalk(NOW), now = NOW) =>
  applyCheck(walk, unconnected, now, CONFIRM)
type Context = Parameters<typeof overviewOf>[1]
export const overviewContext: Context = {
  now: NOW,
  t,
  person: 'ada@acme.example',
  name: '',
  query: '',
  from: undefined,
  describe: () => noDescription,
  approvals: [],
  isAutomatic: true,
  confirmSeconds: CONFIRM,
}
export const overviewPage = (walk: Walk, context: Partial<Context> = {}): OverviewPage =>
  overviewOf(walk, { ...overviewContext, ...context })

/** A walk just after the return from Slack, while the service still lists it. */
export const returnedWalk = (unconnected: UnconnectedApp[]) =>
  finishReturn(
    startConsent(checkedWalk(unconnected), { instance: 'slack_1', step: 'step-1', now: NOW }),
    'step-1',
    NOW,
  ).walk

export const LATE = NOW + CONFIRM * 1000
/** The same walk after CONFIRM_SECONDS. */
export const unconfirmedWalk = (unconnected: UnconnectedApp[]) =>
  checkedWalk(unconnected, returnedWalk(unconnected), LATE)
