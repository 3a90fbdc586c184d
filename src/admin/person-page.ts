// Writes one person's history and the next helpful step as texts, for their page and `onramp person`. Pure.
import { campaignEmails, MAX_REMINDERS, ONBOARDING } from '../campaigns/campaign.ts'
import { datasourceType, humanize } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { isRequested, type KeepState } from '../people/keep-state.ts'
import { LIST_COLUMNS, mayHaveBeenSent, type Person, type PersonApp } from '../people/person.ts'
import type { Texts } from '../web/languages/texts.ts'
import { historyOf, noEmailUntil } from './person-history.ts'
import { uniqueNames } from './unique-names.ts'

type HistoryEvent = ReturnType<typeof historyOf>['events'][number]

/** Why no email about what is left is sent now, or ever. */
function describeNoEmail(
  person: Person,
  { help, apps }: Pick<ReturnType<typeof historyOf>, 'help' | 'apps'>,
  keepState: KeepState,
  { t, ...moment }: Parameters<typeof noEmailUntil>[2] & { t: Texts },
): string[] {
  const left = apps.filter(({ instance }) => help.apps.some((app) => app.instance === instance))
  if (left.length === 0 || person.optedOutAt !== undefined) return []
  // Emails about new and lost apps have counts of their own.
  const isDone =
    left.every(({ newAt, lapsedAt = newAt }) => lapsedAt === undefined) &&
    campaignEmails(person, ONBOARDING).some(
      (email) => email.reminder >= MAX_REMINDERS && mayHaveBeenSent(email),
    )
  if (isDone) return [t('person.noEmail.done')]
  const wait = noEmailUntil(person, keepState, moment)
  return wait ? [t(`person.noEmail.${wait.why}`, { day: t.date(wait.at) })] : []
}

export function personPage(
  person: Person,
  keepState: KeepState,
  company: Pick<Company, 'displayName' | 'activeReplacements' | 'timezone' | 'quietDays'>,
  { t, now }: { t: Texts; now: number },
) {
  const { activeReplacements } = company
  const { help, checkedAt, apps, questions, events } = historyOf(person, keepState, activeReplacements)
  const { name, email } = person
  const details = LIST_COLUMNS.filter((column) => column !== 'name').flatMap((column) => {
    const label = t(column === 'group' ? 'admin.group' : `person.${column}`)
    return person[column] === undefined ? [] : `${label}: ${person[column]}`
  })
  const recordedApps = person.lastCheck?.apps ?? []
  const uniqueName = uniqueNames(keepState, recordedApps, company, t.lang)
  // Apps that were hidden or replaced aren't in the record, but in the history.
  const displayName = (former: string) => {
    const instance = activeReplacements.get(former) ?? former
    return uniqueName({ instance, name: humanize(datasourceType(instance)) })
  }
  const timeOf = (at = 0) => (at === 0 ? undefined : { iso: new Date(at).toISOString(), text: t.moment(at) })
  const helpedApps = t.conjunction(help.apps.map((app) => displayName(app.instance)))
  /** Earlier versions may have recorded other codes. */
  const pageOf = (code = '') => {
    if (code === 'unconfirmed') return t('person.unconfirmed')
    const key = `problem.${code}.title`
    return t.has(key) ? t('person.saw', { title: t(key, { hasApp: 'no', app: '' }), code }) : code
  }
  const helped = {
    apps: helpedApps,
    saw: pageOf(help.code),
    day: t.date(help.approvedAt ?? help.renamedAt ?? now),
  }
  const questionText = t(keepState.emptyLists ? 'admin.need.emptyListsTitle' : 'person.inQuestion')
  const skipped = keepState.needs?.filter((need) => need.split(/[\s:,]/).includes(email)) ?? []
  const requests = help.apps.flatMap(({ instance }) => {
    const approval = keepState.approvals?.find((one) => one.instance === instance)
    if (help.kind !== 'blocked' || approval === undefined || !isRequested(approval)) return []
    return `${t.list(approval.owners)}: ${t('admin.need.appAsked', { day: t.date(approval.requestedAt) })}`
  })
  const why = [...skipped, ...describeNoEmail(person, { help, apps }, keepState, { ...company, t, now })]
  return {
    name: name ?? email,
    details: name === undefined ? details : [email, ...details],
    asOf: checkedAt === undefined ? t('admin.notChecked') : `${t('admin.asOf')}: ${t.moment(checkedAt)}`,
    help: {
      ...help,
      text: t.sentences([...why, ...new Set(requests), t(`person.help.${help.kind}`, helped)]),
    },
    apps: appLines({ apps, questions }, { displayName, timeOf, questionText }, t),
    events: events.map((event) => ({
      time: timeOf(event.at),
      text: t(`person.event.${event.what}`),
      details: detailsOf(event, displayName, pageOf(event.code), t),
      isBad: event.what === 'failed' || (event.outcome ?? 'sent') !== 'sent',
    })),
  }
}

/** Each app, and those in question that the figures leave out. */
function appLines<Time>(
  { apps, questions }: Pick<ReturnType<typeof historyOf>, 'apps' | 'questions'>,
  texts: { displayName: (of: string) => string; timeOf: (at?: number) => Time; questionText: string },
  t: Texts,
) {
  const { displayName, timeOf, questionText } = texts
  const counted = apps.map((app) => {
    const question = questions.find(({ instance }) => instance === app.instance)
    const delisting = question?.isDelisted ? question : undefined
    return {
      time: timeOf(delisting?.delistedAt ?? app.since),
      text: displayName(app.instance),
      details: [
        delisting ? t('person.delisted') : stateText(app, t),
        app.lostAs === undefined ? [] : t('person.moved'),
        app.newAt === undefined ? [] : t(app.movedFrom === undefined ? 'person.new' : 'person.moved'),
        question ? questionText : [],
      ].flat(),
      isBad: isLost(app),
    }
  })
  const uncounted = questions.filter(({ instance }) => !apps.some((app) => app.instance === instance))
  return [
    ...counted,
    ...uncounted.map(({ instance, delistedAt, since, isDelisted }) => ({
      time: timeOf(delistedAt ?? since),
      text: displayName(instance),
      details: [t(isDelisted ? 'person.delisted' : 'admin.state.connected'), questionText],
      isBad: false,
    })),
  ]
}

function detailsOf(event: HistoryEvent, displayName: (instance: string) => string, page: string, t: Texts) {
  const { app = [], apps = [app].flat(), outcome, by, former } = event
  return [
    apps.length === 0 ? [] : t.list(apps.map(displayName)),
    outcome === 'sent' ? t('person.sent') : outcome ? t(`admin.person.${outcome}`) : [],
    page || [],
    former === undefined ? [] : t('person.former', { email: former }),
    by === undefined ? [] : t(outcome ? 'person.releasedBy' : 'person.by', { by }),
  ].flat()
}

/** True if access ended and no other instance took the app's place. */
const isLost = ({ state, lapsedAt, lostAs }: PersonApp): boolean =>
  state === 'unconnected' && lapsedAt !== undefined && lostAs === undefined

function stateText(app: PersonApp, t: Texts): string {
  const { state, isUnconfirmed } = app
  if (isUnconfirmed) return t('person.unconfirmed')
  if (state === 'blocked') return t('admin.filter.blocked')
  const textState = state === 'unconnected' ? (isLost(app) ? 'lapsed' : 'waiting') : state
  return t(`admin.state.${textState}`)
}
