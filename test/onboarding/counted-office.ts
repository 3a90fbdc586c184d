// One store with walks and the report of one person, as any number of processes keep both.
import { createPeople } from '../../src/people/people.ts'
import { createFollow } from '../../src/people/follow.ts'
import { withOutbox } from '../../src/people/outbox.ts'
import { stampOf, withLeft } from '../../src/people/sources.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { type Waiting, type Walk, observe } from '../../src/onboarding/walk.ts'
import { createWalks } from '../../src/onboarding/walks.ts'
import { watchWalks } from '../../src/onboarding/watched-walks.ts'
import { createSealer } from '../../src/records/seal.ts'
import { testInstallation } from '../helpers/installation.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { CONFIRM, NOW, waits } from './seen.ts'

export const jira = waits('jira_1', 'Jira')
export const github = waits('github_1', 'GitHub')
export const ada = {
  issuer: 'https://as.example',
  subject: 'ada',
  email: 'ada@acme.example',
  emailVerified: true,
} as const
export const MINUTE = 60_000

/** One store, any number of processes. */
export function office() {
  const { records, values } = memoryRecords()
  let time = NOW
  let isAway = false
  const installation = testInstallation()
  const sealer = createSealer(['a secret of thirty-two characters'])

  /** @param skew how far its clock is ahead, in milliseconds @param waits before each further try of what it could not tell */
  function started({ skew = 0, company = neutralCompany, waits = [100] } = {}) {
    const now = () => time + skew
    const arrange = <T extends { instance: string }>(apps: T[]) => company.arrange(apps)
    const people = withOutbox(createPeople({ records, sealer, now, retentionDays: 90, arrange }), now)
    const follow = createFollow({
      people: {
        change: (email, change) =>
          isAway ? Promise.reject(new Error('away')) : people.change(email, change),
      },
      log: { warn() {} },
      now,
      waits,
    })
    const kept = createWalks({
      records,
      installation,
      checkReturnTo: () => undefined,
      arrange,
      now,
    })
    const walks = watchWalks(kept, follow.walked, now)
    return {
      people,
      page: (listed: Waiting[], change = (walk: Walk) => walk) =>
        walks.update(ada, (walk) => observe(change(walk), arrange(listed), now(), CONFIRM), {
          isAsked: true,
        }),
      say: (change: (walk: Walk) => Walk) => walks.update(ada, change),
      /** What `invite send` writes down. */
      campaign: (listed: Waiting[]) =>
        people.change(ada.email, (before) => withLeft(before, arrange(listed), now())),
      /** It asks now, and writes it down later. */
      async ask(listed: Waiting[]) {
        const when = { at: now(), known: stampOf(await people.get(ada.email)) }
        return () => people.change(ada.email, (before) => withLeft(before, arrange(listed), now(), when))
      },
    }
  }

  const loseWalks = () => {
    for (const key of values.keys()) if (key.startsWith('walk:')) values.delete(key)
  }

  async function report(company = neutralCompany) {
    const arrival = await started({ company }).people.get(ada.email)
    return {
      apps: arrival?.sources.map(({ instance, state }) => `${instance} ${state}`).toSorted(),
      isFinished: arrival?.finishedAt !== undefined,
      outbox: arrival?.outbox?.map(({ type, app }) => [type, app?.instance].join(' ').trim()) ?? [],
    }
  }

  const pass = (milliseconds: number) => void (time += milliseconds)
  const away = (is: boolean) => void (isAway = is)
  return { started, pass, away, loseWalks, report }
}
