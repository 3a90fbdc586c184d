// Derives one person's history and the next helpful step, as texts for their page and `onramp person`. Pure. Times are
// milliseconds since 1970.
import { APPROVALS, MOVED_APPROVALS } from '../campaigns/approvals.ts'
import { campaignEmails, MAX_REMINDERS, ONBOARDING } from '../campaigns/campaign.ts'
import { emailOutlook, LAPSES, NEW_APPS } from '../campaigns/episodes.ts'
import { datasourceType, humanize } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { normalizedAddress } from '../people/address.ts'
import { isRequested, personForCounts, pausedApps, unansweredDelistings } from '../people/keep-state.ts'
import type { KeepState } from '../people/keep-state.ts'
import { LIST_COLUMNS, isRecordedChoice, mayHaveBeenSent } from '../people/person.ts'
import type { AppRecord, EmailRecord, OperatorAction, Person, PersonApp } from '../people/person.ts'
import { COMMAND } from '../version.ts'
import type { TextKey } from '../web/languages/catalogue.ts'
import type { Texts } from '../web/languages/texts.ts'
import { peopleUrl } from './filters.ts'
import { keepCommand } from './overview.ts'
import { uniqueNames } from './unique-names.ts'
import { CRITERIA, emailStateOf, summarize, type PersonSummary } from './person-summary.ts'

/** Suffixes of the text keys with this prefix. */
type NameAfter<Prefix extends string, Key = TextKey> = Key extends `${Prefix}${infer Name}` ? Name : never

type EventDetails = {
  app?: string | undefined
  apps?: readonly string[]
  outcome?: PersonSummary['emailState']
  /** The problem code of a failed step. */
  code?: string
  /** The address of the person who acted, or who released the email. `former`: a former address. */
  by?: string | undefined
  former?: string | undefined
}

const eventOf = (what: NameAfter<'person.event.'>, at: number | undefined, details: EventDetails = {}) =>
  at === undefined ? [] : [{ at, what, ...details }]

const APPEARANCES = ['listedAt', 'openedAt', 'signedInAt', 'visitedAt', 'finishedAt'] as const
const MILESTONES = [...APPEARANCES, 'optedOutAt', 'leftAt', 'unknownAt'] as const

function emailKind(
  campaign: string,
  { reminder, isMoved }: Pick<EmailRecord, 'reminder' | 'isMoved'>,
): NameAfter<'person.event.'> {
  if (campaign === LAPSES) return 'lapse'
  if (campaign === APPROVALS) return 'approval'
  if (campaign === MOVED_APPROVALS) return 'movedApp'
  if (campaign !== NEW_APPS) return reminder === 0 ? 'invitation' : 'reminder'
  return isMoved === undefined ? 'newOrMovedApp' : isMoved ? 'movedApp' : 'newApp'
}

const DAY_MS = 86_400_000

/** True if it was the person's, or about a list that dropped them, or an app that they had lost or waited for. */
function isRelevantTo(person: Person, action: OperatorAction, current: (instance: string) => string) {
  const { at, what, by, since = 0 } = action
  if (normalizedAddress(by) === person.email) return true
  const app = action.app && current(action.app)
  const { lastCheck, accessEvents = [], intents, ...dates } = person
  const { listedAt = Infinity, leftAt = Infinity } = dates
  if (app === undefined) return leftAt >= at && leftAt - at < DAY_MS
  const isSameApp = ({ instance }: { instance: string }) => current(instance) === app
  const records = lastCheck?.apps.filter(isSameApp) ?? []
  const blockedIntent = intents?.apps.find((intent) => isSameApp(intent) && intent.kind === 'blocked')
  const isNotified = campaignEmails(person, APPROVALS).some(
    (email) => email.at >= at && email.apps?.includes(app),
  )
  const access = accessEvents.findLast((event) => isSameApp(event) && event.at <= at)
  const isRelease = what === 'released'
  const lossTimes = isRelease ? [] : records.flatMap((row) => [row.delistedAt, row.previousDelistedAt])
  if (access?.what === 'lost') lossTimes.push(access.at)
  const isAnswer = what === 'removed' || what === 'markedConnected'
  const wasConnected = ({ status, since: from }: AppRecord) => status === 'connected' && from <= at
  if (isAnswer && records.some((one) => what === 'removed' || wasConnected(one))) lossTimes.push(at)
  const times = what === 'approved' ? [blockedIntent?.since, isNotified ? at : undefined] : lossTimes
  return listedAt <= at && leftAt > at && times.some((time = Infinity) => time >= since && time <= at)
}

/** @returns `events`: newest first */
export function historyOf(
  person: Person,
  keepState: KeepState,
  activeReplacements: Company['activeReplacements'] = new Map(),
) {
  const counted = personForCounts(person, keepState)
  const summary = summarize(person, keepState)
  const records = counted.lastCheck?.apps ?? []
  const { failures = [], actions: personActions = [], accessEvents = [] } = person
  const current = (instance: string) => activeReplacements.get(instance) ?? instance
  const { listedAt = Infinity, leftAt = Infinity } = person
  const hiddenEvents = (keepState.appEvents ?? []).filter(
    ({ what, at, instance }) =>
      what === 'hidden' && listedAt <= at && leftAt > at && isInHistory(person, instance, at),
  )
  const access = accessEvents.filter(
    ({ what, instance, at }) => what !== 'listed' || isInHistory(person, instance, at),
  )
  const isByOperator = personActions.some(({ what, at }) => what === 'opted_out' && at === person.optedOutAt)
  const ofRuns = keepState.actions?.filter((action) => isRelevantTo(person, action, current)) ?? []
  const events = [
    ...MILESTONES.filter((milestone) => milestone !== 'optedOutAt' || !isByOperator).flatMap((milestone) =>
      eventOf(milestone, person[milestone]),
    ),
    ...person.campaigns.flatMap(({ name, emails }) =>
      emails.flatMap(withRejections).flatMap((email) => {
        const { at, apps: about = [], alsoListed = [], releasedBy: by, wasRejected } = email
        const outcome = wasRejected ? 'failed' : emailStateOf(email)
        const apps = [...about, ...alsoListed]
        return eventOf(emailKind(name, email), at, { apps, outcome, by })
      }),
    ),
    ...[...access, ...records.flatMap((app) => endOfLoss(app, accessEvents))].flatMap(
      ({ what, at, instance }) => eventOf(what, at, { app: current(instance) }),
    ),
    ...hiddenEvents.flatMap(({ at, instance }) => eventOf('hidden', at, { app: current(instance) })),
    ...failures.flatMap(({ at, code, instance: app }) =>
      isRecordedChoice(code) ? eventOf(code, at, { app }) : eventOf('failed', at, { code, app }),
    ),
    ...[...personActions, ...ofRuns].flatMap((action) => {
      const { at, what, by, app } = action
      return eventOf(what, at, { by, app: app && current(app), former: formerAddress(action, person) })
    }),
  ]
  const apps = summary.apps.map((app, index) => {
    const isSetAside = app.state === 'skipped' || app.state === 'blocked'
    const intent = counted.intents?.apps.find(({ instance }) => instance === app.instance)
    const { since } =
      (app.isUnconfirmed && intent?.since) || isSetAside ? { ...intent } : { ...records[index] }
    // No one saw a consent, so the page says why it counts as connected.
    const isDelisted = app.state === 'connected' && records[index]?.delistedAt !== undefined
    return { ...app, since, isDelisted }
  })
  const appsInQuestion = new Set(unansweredDelistings(keepState).map(({ instance }) => instance))
  const { checkedAt, delistedInstances } = summary
  const questions = (person.lastCheck?.apps ?? [])
    .filter(({ instance }) => appsInQuestion.has(instance))
    .map((app) => ({ ...app, isDelisted: delistedInstances.includes(app.instance) }))
  const help = helpFor(summary, person, keepState, questions)
  return { help, checkedAt, apps, questions, events: events.sort((one, other) => other.at - one.at) }
}

/** An email that was tried again, and the former addresses' rejections. */
function withRejections({ rejected = [], ...email }: EmailRecord): EmailRecord[] {
  const { reminder, isMoved } = email
  return [...rejected.map((one) => ({ reminder, isMoved, state: 'failed' as const, ...one })), email]
}

/** True if an earlier email or event names the app. The record of a hidden app isn't read. */
function isInHistory(person: Person, instance: string, before: number) {
  const { campaigns, accessEvents = [], failures = [] } = person
  const emails = campaigns.flatMap((campaign) => campaign.emails)
  return (
    emails.some(
      ({ at, apps = [], alsoListed = [] }) => at < before && [...apps, ...alsoListed].includes(instance),
    ) || [...accessEvents, ...failures].some((event) => event.at < before && event.instance === instance)
  )
}

/** The end of a loss, if the app left the list without a consent, and isn't in question: it counts as connected. */
function endOfLoss({ instance, since, delistedAt }: AppRecord, events: Person['accessEvents'] = []) {
  const last = events.findLast((event) => event.instance === instance)
  const isBack = last?.what === 'lost' && delistedAt !== undefined
  return isBack ? [{ at: since, what: 'back' as const, instance }] : []
}

/** The address before a rename. A reused address is listed once, so then only the last one is certain. */
function formerAddress(action: OperatorAction, { actions = [], formerEmails = [] }: Person) {
  const renames = actions.filter(({ what }) => what === 'renamed')
  const nth = renames.indexOf(action) - renames.length
  const isKnown = action.what === 'renamed' && (nth === -1 || renames.length <= formerEmails.length)
  return isKnown ? formerEmails.at(nth) : undefined
}

/** Quotes an address that isn't safe in a shell. */
const shellWord = (text: string) => (/^[\w.+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const HOUR_MS = 3_600_000
const FOLLOWS_WITHIN_MS = 14 * DAY_MS

/** When the address changed, if the service, which may be days behind the list, doesn't know the new one. */
function unfollowedRenameAt({ unknownAt, actions = [] }: Person, lastRunAt = Infinity): number | undefined {
  const renamedAt = actions.findLast(({ what }) => what === 'renamed')?.at ?? -Infinity
  const isRecent = Math.max(unknownAt ?? Infinity, lastRunAt) < renamedAt + FOLLOWS_WITHIN_MS
  return isRecent ? renamedAt : undefined
}

/** True until a run has seen whether the list has the address that an operator, or a sign-in, gave the person. */
const isListingUnknown = ({ hasUnlistedAddress, actions = [] }: Person, { lastRunAt = 0 }: KeepState) =>
  hasUnlistedAddress === true && actions.some(({ what, at }) => what === 'renamed' && at > lastRunAt)

/** @returns the first cause that applies, with its apps; `path` is a page of onramp */
function helpFor(
  summary: PersonSummary,
  person: Person,
  keepState: KeepState,
  questions: readonly Pick<PersonApp, 'instance'>[],
) {
  const pausedInstances = pausedApps(keepState)
  const { visitedAt = 0, failures = [], optedOutAt, leftAt, unknownAt } = person
  const inQuestion = (instance: string) => questions.some((app) => app.instance === instance)
  const leftApps = summary.apps.filter(
    ({ state, instance }) => state !== 'connected' && state !== 'off' && !inQuestion(instance),
  )
  const failure = failures.findLast(
    ({ at, code }) => !isRecordedChoice(code) && code !== 'unconfirmed' && at >= visitedAt - HOUR_MS,
  )
  const renamedAt = unfollowedRenameAt(person, keepState.lastRunAt)
  const isBounced = summary.emailState === 'failed' && summary.progress !== 'ready'
  const blockedApps = leftApps.filter((app) => app.state === 'blocked')
  const sinceOf = ({ blockedAt }: Pick<PersonApp, 'blockedAt'>) => blockedAt ?? person.signedInAt ?? 1
  const approvalOf = (app?: Pick<PersonApp, 'instance' | 'blockedAt'>) =>
    keepState.approvals?.find(
      (one) => one.stage === 'approved' && one.instance === app?.instance && one.approvedAt > sinceOf(app),
    )
  const isTester = (app: PersonApp) => approvalOf(app)?.testers?.includes(sinceOf(app))
  // An instance that has taken the place of an app on hold is on hold, too.
  const pausedApp = (app: PersonApp): PersonApp[] => {
    const former = person.lastCheck?.apps.find(({ movedTo }) => movedTo === app.instance)
    const instance = [app.instance, former?.instance ?? ''].find((one) => pausedInstances.has(one))
    return instance === undefined ? [] : [{ ...app, instance }]
  }
  // No release emails someone who has opted out, and people are emailed about the other apps.
  const isEmailable = optedOutAt === undefined
  const onHold = leftApps.flatMap(pausedApp)
  const waitsForRelease =
    onHold.length === leftApps.length || onHold.some(({ lapsedAt }) => lapsedAt !== undefined)
  const causes: [
    NameAfter<'person.help.'>,
    boolean | readonly Pick<PersonApp, 'instance'>[],
    command?: string,
  ][] = [
    ['gone', leftAt !== undefined && !isListingUnknown(person, keepState)],
    ['unknownYet', renamedAt !== undefined],
    ['unknown', unknownAt !== undefined, 'person rename EMAIL NEW'],
    ['bounced', isBounced],
    ['unchecked', summary.checkedAt === undefined, 'status EMAIL'],
    ['tester', blockedApps.filter(isTester), 'invite link EMAIL'],
    ['blocked', blockedApps.filter((app) => approvalOf(app) === undefined)],
    ['approved', isEmailable && blockedApps],
    ['onHold', isEmailable && waitsForRelease && onHold],
    ['failed', leftApps.filter(({ instance }) => instance === failure?.instance), 'doctor --as EMAIL'],
    ['unconfirmed', leftApps.filter(({ isUnconfirmed }) => isUnconfirmed), 'status EMAIL'],
    ['optedOut', optedOutAt !== undefined && leftApps, 'invite link EMAIL'],
    ['left', leftApps, 'invite link EMAIL'],
    ['noAddress', summary.apps.filter(({ isUnstartable }) => isUnstartable)],
    ['off', summary.apps.filter(({ state }) => state === 'off')],
    // No app is asked about then, and an answer would outlast the outage.
    ['emptyLists', keepState.emptyLists !== undefined, 'doctor'],
    ['inQuestion', questions],
    ['done', CRITERIA.finished(summary)],
    ['nothing', true],
  ]
  const [kind, appliesTo, commandArguments] = causes.find(([, one]) => one === true || (one && one.length))!
  const apps = typeof appliesTo === 'boolean' ? [] : appliesTo
  const instances = apps.map(({ instance }) => instance)
  const commandLine =
    commandArguments && `${COMMAND} ${commandArguments.replace('EMAIL', () => shellWord(person.email))}`
  const answers = { onHold: 'release', inQuestion: 'removed' } as const
  const command =
    kind in answers ? keepCommand(answers[kind as keyof typeof answers], ...new Set(instances)) : commandLine
  const [only = '', ...others] = instances
  const path =
    kind === 'blocked' ? peopleUrl({ filter: kind, app: others.length === 0 ? only : '' }) : undefined
  const approvedAt = approvalOf(apps[0])?.approvedAt
  const code = kind === 'failed' ? failure?.code : undefined
  return { kind, apps, code, command, path, approvedAt, renamedAt }
}

/** Which email about what is left comes next, or why none does. */
function describeEmails(
  person: Person,
  { help, apps }: Pick<ReturnType<typeof historyOf>, 'help' | 'apps'>,
  { wait, next }: ReturnType<typeof emailOutlook>,
  t: Texts,
): string[] {
  const email = next && t(`person.event.${emailKind(next.name, next)}`)
  const upcoming = next && email ? [t('person.nextEmail', { email, day: t.date(next.at) })] : []
  const leftApps = apps.filter(({ instance }) => help.apps.some((app) => app.instance === instance))
  if (leftApps.length === 0 || person.optedOutAt !== undefined) return upcoming
  // Emails about new and lost apps have counts of their own.
  const isDone =
    leftApps.every(({ newAt, lapsedAt = newAt }) => lapsedAt === undefined) &&
    campaignEmails(person, ONBOARDING).some((last) => last.reminder >= MAX_REMINDERS && mayHaveBeenSent(last))
  if (isDone) return [t('person.noEmail.done')]
  return [...(wait ? [t(`person.noEmail.${wait.why}`, { day: t.date(wait.at ?? 0) })] : []), ...upcoming]
}

/** Why the person's record or emails stand still. @param emails of `describeEmails`, unless the list has a fault */
function describeWhy(person: Person, { needs = [] }: KeepState, emails: readonly string[], t: Texts) {
  const { emptyAt } = person.lastCheck ?? {}
  const emptied = emptyAt === undefined ? [] : [t('person.emptied', { day: t.date(emptyAt) })]
  const skipped = needs.filter((need) => need.split(/[\s:,]/).includes(person.email))
  return [...emptied, ...(skipped.length > 0 ? skipped : emails)]
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
  const outlook = emailOutlook(person, keepState, { ...company, now })
  const helped = {
    apps: helpedApps,
    wait: outlook.wait?.why ?? '',
    saw: pageOf(help.code),
    day: t.date(help.approvedAt ?? help.renamedAt ?? now),
  }
  const inQuestion = (instance: string) => questions.some((app) => app.instance === instance)
  const questionText = t(keepState.emptyLists ? 'admin.need.emptyListsTitle' : 'person.inQuestion')
  const requests = help.apps.flatMap(({ instance }) => {
    const approval = keepState.approvals?.find((one) => one.instance === instance)
    if (help.kind !== 'blocked' || approval === undefined || !isRequested(approval)) return []
    return t('person.asked', { owners: t.list(approval.owners), day: t.date(approval.requestedAt) })
  })
  const why = describeWhy(person, keepState, describeEmails(person, { help, apps }, outlook, t), t)
  return {
    name: name ?? email,
    details: name === undefined ? details : [email, ...details],
    asOf: checkedAt === undefined ? t('admin.notChecked') : `${t('admin.asOf')}: ${t.moment(checkedAt)}`,
    help: {
      ...help,
      text: t.sentences([...why, ...new Set(requests), t(`person.help.${help.kind}`, helped)]),
    },
    apps: [
      ...apps.map((app) => ({
        time: timeOf(app.since),
        text: displayName(app.instance),
        details: [
          stateTexts(app, t),
          app.lostAs === undefined ? [] : t('person.moved'),
          app.newAt === undefined ? [] : t(app.movedFrom === undefined ? 'person.new' : 'person.moved'),
          inQuestion(app.instance) ? questionText : [],
        ].flat(),
        isBad: isLost(app),
      })),
      ...questions
        .filter(({ instance }) => !apps.some((app) => app.instance === instance))
        .map(({ instance, delistedAt, since, isDelisted }) => ({
          time: timeOf(delistedAt ?? since),
          text: displayName(instance),
          details: [t(isDelisted ? 'person.delisted' : 'admin.state.connected'), questionText],
          isBad: false,
        })),
    ],
    events: events.map((event) => ({
      time: timeOf(event.at),
      text: t(`person.event.${event.what}`),
      details: detailsOf(event, displayName, pageOf(event.code), t),
      isBad: event.what === 'failed' || (event.outcome ?? 'sent') !== 'sent',
    })),
  }
}

function detailsOf(event: EventDetails, displayName: (instance: string) => string, page: string, t: Texts) {
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

function stateTexts(app: PersonApp & { isDelisted: boolean }, t: Texts): string[] {
  const { state, isUnconfirmed, isDelisted } = app
  if (isUnconfirmed) return [t('person.unconfirmed')]
  if (state === 'blocked') return [t('admin.filter.blocked')]
  const textState = state === 'unconnected' ? (isLost(app) ? 'lapsed' : 'waiting') : state
  return [t(`admin.state.${textState}`), ...(isDelisted ? [t('person.delisted')] : [])]
}
