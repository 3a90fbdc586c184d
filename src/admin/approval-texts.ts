// Texts about the approval of an app, for its owner and for admins. Pure.
import { calendarOf, nextWorkday, quietUntil } from '../campaigns/working-time.ts'
import { datasourceType, humanize } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { isRequested, newApproval, pausedApps, unansweredDelistings } from '../people/keep-state.ts'
import type { Approval, KeepState } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { newAppCounts, type AppCounts, type Report } from './report.ts'

export const approvalPath = (instance: string): string => `/approvals/${encodeURIComponent(instance)}`

/** Derives an approval from the people on record, for an app that has none in the keep state. */
export function earlyApproval(instance: string, { datasources, madeAt }: Report): Approval {
  const app: AppCounts =
    datasources.find((counts) => counts.instance === instance) ??
    newAppCounts(instance, humanize(datasourceType(instance)))
  const waitingPeople = app.counts.blocked
  const since = waitingPeople === 0 ? Infinity : Date.parse(app.blockedSince ?? madeAt)
  return { ...newApproval(instance, app.name), waitingPeople, since }
}

/** `messenger`: the app works, and no email can tell some of those who waited. */
export function needOf({
  stage,
  waitingPeople,
  unreachable = 0,
}: Approval): 'decision' | 'messenger' | undefined {
  if (stage === 'failed' || (stage !== 'approved' && waitingPeople > 0)) return 'decision'
  return stage === 'confirmed' && unreachable > 0 ? 'messenger' : undefined
}

/** Some people need an approval, though an owner has given it. */
const hasFailed = ({ stage, waitingPeople }: Approval): boolean =>
  stage === 'failed' || (stage === 'confirmed' && waitingPeople > 0)

type WaitContext = Pick<Company, 'timezone' | 'quietDays'> & { t: Texts; now: number }

/** Why people get no emails about the app now: it is on hold or in question, or a pause or quiet days. */
export function describeWait(instance: string, keepState: KeepState, { t, now, ...company }: WaitContext) {
  const isInQuestion = unansweredDelistings(keepState).some((app) => app.instance === instance)
  if (isInQuestion || pausedApps(keepState).has(instance)) return [t('approval.onHold')]
  const calendar = calendarOf(company, {}, keepState)
  const until = quietUntil(now, calendar)
  return until === undefined ? [] : [t('person.noEmail.quiet', { day: t.date(nextWorkday(until, calendar)) })]
}

/** Counts the people whom no email can reach. */
const describeUnreachable = ({ unreachable: count = 0, reachableAt }: Approval, t: Texts): string[] =>
  count === 0
    ? []
    : [t('approval.unreachable', { count, until: reachableAt === undefined ? 'never' : t.date(reachableAt) })]

/** The last try since the approval, which failed. */
const describeTry = ({ triedAt = 0, approvedAt }: Approval, t: Texts): string[] =>
  triedAt > approvedAt ? [t('approval.tried', { day: t.date(triedAt) })] : []

/** The test of an approved app: what has happened, who comes next, and whom no email can reach. */
function describeTest(approval: Approval, t: Texts): string[] {
  const tried = describeTry(approval, t)
  const next = tried.length > 0 ? 'approval.tryingNext' : 'approval.trying'
  const trying = t(approval.waitingPeople > 1 ? next : 'approval.tryingOne')
  return [...tried, trying, ...describeUnreachable(approval, t)]
}

/** @param approval.owners empty: the reader is the owner, or the app has none @param wait of `describeWait` */
export function describeApproval(approval: Approval, app: string, t: Texts, wait: readonly string[] = []) {
  const { stage, waitingPeople: count, by = '', owners, testers = [], isUntried } = approval
  const day = t.day(approval.approvedAt)
  const label = t('approval.done')
  const approvedBy = by === '' ? [] : [t('approval.approvedBy', { by, day })]
  const text = (heading: string, ...paragraphs: string[]) => ({ heading, paragraphs })
  const owner = t.list(owners.slice(0, 2))
  const unreachableText = describeUnreachable(approval, t)
  const check = t(owner === '' ? 'approval.check' : 'approval.checkOwner', { owner, label })
  if (hasFailed(approval)) {
    // Testers were told, unlike the others who wait.
    const untold = stage === 'failed' && count > testers.length ? [t('approval.untold')] : []
    const failedText = t(stage === 'failed' ? 'approval.failed' : 'approval.failedAgain', { app, day, count })
    return text(t('approval.failedTitle', { app }), t.sentences([failedText, ...untold, check]))
  }
  if (stage === 'approved') {
    if (isUntried)
      return text(
        t('approval.untriedTitle', { app }),
        t.sentences([...approvedBy, ...describeTry(approval, t), t('approval.untried', { count }), ...wait]),
      )
    const retry = owner === '' ? [t('approval.retry', { label })] : []
    const next = t.sentences([...describeTest(approval, t), ...wait])
    return text(t('approval.approvedTitle', { app }), ...approvedBy, next, ...retry)
  }
  if (stage === 'confirmed') {
    // Earlier versions didn't count whom to tell.
    const { uninformed = Infinity, unreachable = 0 } = approval
    const emails = uninformed === unreachable ? [] : wait.length > 0 ? wait : [t('approval.telling')]
    const confirmedText = t.sentences([t('approval.confirmed'), ...emails, ...unreachableText])
    return text(t('approval.confirmedTitle', { app }), ...approvedBy, confirmedText)
  }
  if (count === 0) return text(t('approval.none', { app }), t('approval.noneLead'))
  const why = [
    t(count === 1 ? 'approval.sawOne' : 'approval.saw', { app, label: t('overview.block') }),
    t(count === 1 ? 'approval.sinceOne' : 'approval.since', { day: t.day(approval.since) }),
  ]
  const about = { app, count, owner, day: t.date(approval.since) }
  const heading = t(owners.length > 0 ? 'admin.need.appOwner' : 'admin.need.app', about)
  const next = t(count === 1 ? 'approval.nextOne' : 'approval.next', { label })
  return text(heading, t.sentences(why), t.sentences([next, ...unreachableText, ...wait]))
}

/** Sentences about approved apps that aren't confirmed yet. */
export function approvedLines({ datasources }: Report, keepState: KeepState, context: WaitContext): string[] {
  const { t } = context
  const isTested = ({ stage, isUntried, waitingPeople }: Approval) =>
    stage === 'approved' && isUntried !== true && waitingPeople > 0
  return (keepState.approvals ?? []).filter(isTested).map((approval) => {
    const { instance, name, by = '', approvedAt } = approval
    const app = datasources.find((one) => one.instance === instance)?.name ?? name
    const wait = describeWait(instance, keepState, context)
    return t.sentences([
      `${app}: ${t('approval.approvedBy', { by, day: t.day(approvedAt) })}`,
      ...describeTest(approval, t),
      ...wait,
    ])
  })
}

/** The action item on /admin. @param app its name there @param wait of `describeWait` */
export function approvalItem(approval: Approval, app: string, t: Texts, wait: readonly string[] = []) {
  const { requestedAt, isUndelivered, unreachable = 0 } = approval
  const { heading, paragraphs } = describeApproval(approval, app, t, wait)
  const needsMessenger = needOf(approval) === 'messenger'
  const count = needsMessenger ? unreachable : approval.waitingPeople
  const isWaiting = needOf(approval) === 'decision' && !hasFailed(approval)
  const requestedText = t('admin.need.appAsked', { day: t.date(requestedAt) })
  const more = hasFailed(approval) && isRequested(approval) ? [requestedText] : []
  const details = [...paragraphs, ...(needsMessenger ? [t('approval.tellThem')] : more)]
  const forReader = t.sentences([
    t('admin.need.appWhy', { label: t('overview.block') }),
    t('approval.inSettings', { app }),
  ])
  const unrequested = approval.owners.length > 0 ? t.sentences(paragraphs.slice(0, 1)) : forReader
  const request = isRequested(approval) ? requestedText : unrequested
  return {
    isUndelivered: isUndelivered === true,
    count,
    href: approvalPath(approval.instance),
    title: needsMessenger ? t('approval.tellTitle', { app, count }) : heading,
    detail: isUndelivered ? t('admin.need.appUnasked') : isWaiting ? request : t.sentences(details),
    action: t('approval.open'),
  }
}
