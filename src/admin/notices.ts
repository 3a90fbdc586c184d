// Emails to admins from `onramp keep`: a mass disconnect, and the weekly digest. They name no person. Pure.
import type { Notice } from '../campaigns/mail/email.ts'
import { isWorkingTime, calendarOf } from '../campaigns/working-time.ts'
import type { Company } from '../company/company.ts'
import { WEEKDAYS } from '../company/schema.ts'
import { isRequested, PROGRESS_STATES } from '../people/keep-state.ts'
import type { Approval, KeepState, MassDisconnect, DelistedApp } from '../people/keep-state.ts'
import { COMMAND } from '../version.ts'
import type { Texts } from '../web/languages/texts.ts'
import { approvalPath, approvedLines, describeApproval } from './approval-texts.ts'
import { keepCommand, describeActionItems } from './overview.ts'
import { withCompanyNames } from './unique-names.ts'
import { peopleUrl, type Filter } from './filters.ts'
import { delistedCounts, describeLostApp } from './removal-texts.ts'
import { DAY_MS, utcDay, type Report } from './report.ts'
import { compareWithDigest, describeComparison } from './comparison.ts'

/** @param t in the company's first language */
type NoticeContext = Company & { t: Texts; publicUrl: string }

const noticeOf = (
  subject: string,
  paragraphs: string[],
  { t, publicUrl }: NoticeContext,
  others: Partial<Notice>,
): Notice => {
  const link = { href: `${publicUrl}/admin`, label: t('admin.title') }
  return { subject, heading: subject, paragraphs, figures: [], needs: [], commands: [], link, ...others }
}

/** @param disconnect with the company's name for the app */
export function massDisconnectNotice(disconnect: MassDisconnect, context: NoticeContext): Notice {
  const { t } = context
  const { instance, name: app, lapsed, had, noticedAt } = disconnect
  const day = t.day(noticedAt)
  const subject = t('admin.need.massDisconnect', { app, lapsed, had, day })
  const facts = t('admin.digest.known', { app, lapsed, had, day })
  const paragraphs = [facts, t('admin.digest.likely', { app }), t('admin.digest.release', { app })]
  const commands = [keepCommand('release', instance) ?? [], `${COMMAND} status EMAIL`].flat()
  return noticeOf(subject, paragraphs, context, { commands })
}

/** The email to an app's owners. `where`: the page on which they approve it. `wait`: of `describeWait`. */
export function approvalNotice(
  approval: Approval,
  context: NoticeContext & { where: string | undefined; wait: readonly string[] },
): Notice {
  const { t, displayName, publicUrl, where: url, wait } = context
  const owned = displayName(approval, t.lang)
  const { requestedForCount: before, waitingPeople: count } = approval
  const { heading: title, paragraphs } = describeApproval({ ...approval, owners: [] }, owned, t, wait)
  const place = url === undefined ? [t('approval.inSettings', { app: owned })] : [t('approval.where'), url]
  const body = paragraphs.toSpliced(1, 0, ...place)
  const link = { href: publicUrl + approvalPath(approval.instance), label: t('approval.open') }
  if (!isRequested(approval)) return noticeOf(title, body, context, { link, owned })
  const intro = t('approval.again', { app: owned, day: t.day(approval.requestedAt), before, count })
  return noticeOf(t('approval.reminder', { title }), [intro, ...body], context, { link, owned })
}

/** One email for all apps that a run found. */
export function delistedAppsNotice(
  apps: readonly DelistedApp[],
  report: Report,
  context: NoticeContext & Pick<KeepState, 'newApps' | 'massDisconnects' | 'delistedApps'>,
): Notice {
  const { t, displayName } = context
  if (report.isNoneLeft && apps.length > 1) return emptyListsNotice(apps, context)
  const questions = apps.map((app) =>
    t('admin.need.removed', { app: displayName(app, t.lang), ...delistedCounts(report, app.instance) }),
  )
  const contexts = apps.map((app) =>
    describeLostApp({ ...app, name: displayName(app, t.lang) }, context, report, t),
  )
  const commands = apps
    .flatMap(({ instance }, index) => [
      contexts[index]?.entry ?? [],
      ...(['removed', 'release'] as const).flatMap((option) => keepCommand(option, instance) ?? []),
    ])
    .flat()
  const [only = '', ...others] = questions
  const why = t('admin.need.removedWhy', { instance: apps.length === 1 ? (apps[0]?.instance ?? '') : 'APP' })
  const outage = report.isNoneLeft ? [t('admin.need.noneLeft')] : []
  if (others.length === 0)
    return noticeOf(only, [...outage, ...contexts.flatMap(({ texts }) => texts), why], context, { commands })
  const subject = t('admin.need.removedApps', { count: apps.length })
  const paragraphs = questions.map((question, index) =>
    t.sentences([question, ...(contexts[index]?.texts ?? [])]),
  )
  return noticeOf(subject, [...paragraphs, why], context, { commands })
}

/** The email about an outage that emptied all lists. */
function emptyListsNotice(apps: readonly DelistedApp[], context: NoticeContext): Notice {
  const { t, displayName } = context
  const text = t('admin.need.emptyLists', { apps: t.list(apps.map((app) => displayName(app, t.lang))) })
  const commands = [`${COMMAND} doctor`, `${COMMAND} status EMAIL`]
  return noticeOf(t('admin.need.emptyListsTitle'), [text], context, { commands })
}

/**
 * True in working hours of the digest's day, and of the next six days while that day's digest wasn't sent, such as in
 * an outage or on a quiet day. @param now milliseconds since 1970
 */
export function isDigestDue(
  { digest: last, digestAt, days }: Pick<KeepState, 'digest' | 'digestAt' | 'days'>,
  { digest, ...company }: Pick<Company, 'digest' | 'timezone' | 'quietDays'>,
  now: number,
): boolean {
  if (digest === undefined || !isWorkingTime(now, calendarOf(company, {}, {}))) return false
  const weekday = WEEKDAYS.indexOf(digest) + 1
  const week = Array.from({ length: 7 }, (_, daysAgo) => now - daysAgo * DAY_MS)
  const dueAt = week.find((at) => isWorkingTime(at, company, weekday))
  if (dueAt === undefined) return false
  const sentAt = last?.at ?? digestAt
  // Working hours are less than half a day, so a later one is of that day, too.
  if (sentAt !== undefined) return sentAt < dueAt - DAY_MS / 2
  // A new installation waits for its day.
  return dueAt === now || days.some(({ day }) => day < utcDay(dueAt))
}

/** @param context.admins its recipients */
export function digestNotice(
  latest: Report,
  state: KeepState,
  now: number,
  context: NoticeContext & { admins: readonly string[] },
): Notice {
  const { t } = context
  const { report, keepState } = withCompanyNames(latest, state, context, t.lang)
  const { pausedUntil = 0 } = keepState
  const comparison = compareWithDigest(report, keepState, now)
  const row = comparison?.row
  // The digest quotes no row of the list.
  const runNeeds = keepState.needs?.filter((need) => !/@|"|^line /.test(need)) ?? []
  const count = (keepState.needs?.length ?? 0) - runNeeds.length
  if (count > 0) runNeeds.push(t('admin.digest.rows', { count, page: t('admin.title') }))
  // Only a named owner who isn't the reader is one that people wait for.
  const datasources = report.datasources.map((app) => {
    const { owners } = context.approversOf(app.instance)
    return { ...app, owners: context.admins.every((admin) => owners.includes(admin)) ? [] : owners }
  })
  const lastFailed = { ...report.lastFailed, email: '' }
  const unnamed = { ...report, datasources, groups: [], lastFailed }
  const needs = describeActionItems(unnamed, { ...keepState, needs: runNeeds }, { ...context, now })
  const subject = t('admin.digest.subject', { done: report.finished, people: report.hadToConnect })
  const change = new Intl.NumberFormat(t.lang, { signDisplay: 'exceptZero' })
  const countRow = (label: string, filter: Filter, value: number, before: number | undefined) => ({
    label,
    value: t.number(value),
    change: before === undefined ? '' : change.format(value - before),
    href: context.publicUrl + peopleUrl({ filter }),
  })
  const paragraphs = [
    ...(comparison === undefined ? [] : describeComparison(comparison, t)),
    pausedUntil > now ? t('admin.paused', { day: t.day(pausedUntil) }) : undefined,
    ...approvedLines(report, keepState, { ...context, now }),
    needs.length === 0 ? t('admin.need.none') : undefined,
  ].filter((paragraph) => paragraph !== undefined)
  const figures = [
    countRow(t('admin.groupPeople'), 'all', report.people, row?.people),
    countRow(t('admin.funnel.invited'), 'invited', report.funnel.invited, row?.invited),
    countRow(t('admin.stat.ready'), 'finished', report.finished, comparison?.before),
    countRow(t('admin.filter.nothing'), 'nothing', report.nothing, row?.nothing),
    ...PROGRESS_STATES.slice(1).map((progress) =>
      countRow(t(`admin.stat.${progress}`), progress, report[progress], row?.[progress]),
    ),
    ...(report.limited > 0
      ? [countRow(t('admin.filter.limited'), 'limited', report.limited, undefined)]
      : []),
    countRow(t('admin.filter.gone'), 'gone', report.gone, row?.gone),
  ]
  return noticeOf(subject, paragraphs, context, { figures, needs })
}
