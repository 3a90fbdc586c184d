// A service's responses, as the overview shows them: for the tests of the overview.
import {
  type UnconnectedApp,
  type Walk,
  finishReturn,
  startConsent,
  applyCheck,
  startWalk,
} from '../../src/onboarding/walk.ts'
import { noDescription } from '../helpers/no-description.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { t } from '../helpers/texts.ts'

type OverviewPage = ReturnType<typeof overviewOf>

export const NOW = Date.UTC(2026, 10, 21, 9)
export const CONFIRM = 90

export const waits = (
  instance: string,
  name = instance,
  status: UnconnectedApp['status'] = 'awaiting',
): UnconnectedApp => ({ instance, name, status })
/** As the service lists it, its name being its id. */
export const app = (instance: string, status?: UnconnectedApp['status']) => waits(instance, instance, status)
export const slack = waits('slack_1', 'Slack')
export const github = waits('github_1', 'GitHub')
export const drive = waits('gdrive_1', 'Google Drive')

export const checkedWalk = (waiting: UnconnectedApp[], walk: Walk = startWalk(NOW), now = NOW) =>
  applyCheck(walk, waiting, now, CONFIRM)
export const overviewPage = (
  walk: Walk,
  context: Partial<Parameters<typeof overviewOf>[1]> = {},
): OverviewPage =>
  overviewOf(walk, {
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
    ...context,
  })

/** Left for Slack and back, the service not showing it yet. */
export const returned = (waiting: UnconnectedApp[]) =>
  finishReturn(
    startConsent(checkedWalk(waiting), { instance: 'slack_1', step: 'step-1', now: NOW }),
    'step-1',
    NOW,
  ).walk

export const LATE = NOW + CONFIRM * 1000
/** Back from Slack, and the time to confirm is over. */
export const late = (waiting: UnconnectedApp[]) => checkedWalk(waiting, returned(waiting), LATE)
