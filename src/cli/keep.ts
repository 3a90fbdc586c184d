// onramp keep: one run over the list, meant for an hourly schedule.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { withPeriod } from '@onramp/terminal/shell'
import { peopleUrl } from '../admin/filters.ts'
import {
  approvalNotice,
  digestNotice,
  isDigestDue,
  massDisconnectNotice,
  removedAppsNotice,
} from '../admin/notices.ts'
import { delistedCounts } from '../admin/overview.ts'
import { summarizeAll } from '../admin/person-summary.ts'
import { createReport, isoDate, utcDay, type Report } from '../admin/report.ts'
import { APPROVALS } from '../campaigns/approvals.ts'
import { ONBOARDING } from '../campaigns/campaign.ts'
import type { CampaignRun } from '../campaigns/delivery.ts'
import { duePeople, firstEmailsAt, KeepRun, zonesWithoutRun } from '../campaigns/keep-run.ts'
import { isAboutApp, LAPSES, NEW_APPS, forCampaign } from '../campaigns/episodes.ts'
import { RunStopped } from '../campaigns/ledger.ts'
import { createNoticeComposer, type Notice } from '../campaigns/mail/email.ts'
import { newTally, type Tally } from '../campaigns/tally.ts'
import { FROM_TIME, TO_TIME } from '../campaigns/working-time.ts'
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import {
  activeMassDisconnects,
  PROGRESS_STATES,
  unansweredRemovals,
  withActions,
  type DailyCounts,
  type KeepState,
  type MassDisconnect,
} from '../people/keep-state.ts'
import { appsOf } from '../people/person.ts'
import { OperatorError } from '../problem.ts'
import type { Records } from '../records/records.ts'
import { COMMAND } from '../version.ts'
import { massDisconnectEvent, sendEventOnce } from '../webhooks/sender.ts'
import {
  createCampaignRun,
  loadRunInput,
  printSummary,
  withExternalServices,
  type ExternalServices,
  type RunInput,
} from './invite/campaign-run.ts'
import { createComposers, NO_FROM } from './invite/email.ts'
import { withCampaignLease } from './invite/lease.ts'
import { indented, limitFaults } from './invite/list.ts'
import { RunProgress } from './invite/progress.ts'
import { actionsOfRun, applyOptions, type StateOptions } from './keep-options.ts'
import { createOperatorAudit, operatorName } from './operator.ts'
import { openKeepState, openPeople, withStore } from './store.ts'
import { interruptible } from './terminal.ts'

/** `now`: milliseconds since 1970. `askRate`: checks a minute. */
type KeepCommandOptions = StateOptions & {
  dryRun?: true | undefined
  json?: true | undefined
  now?: number | undefined
  askRate: number
  confirm?: true | undefined
  includeGuests?: true | undefined
}

type Run = RunInput & { options: KeepCommandOptions; signal: AbortSignal }

const EXIT_NEEDS_SOMEONE = 3
const LINK_DAYS = 30

export async function keep(
  file: string,
  options: KeepCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { stderr } = context
  if (options.now !== undefined && !options.dryRun) throw new UsageError('--now requires --dry-run')
  const needed = options.dryRun ? [] : (['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'] as const)
  const input = await loadRunInput(file, needed, options.includeGuests, context)
  // An export that went wrong is often an empty file.
  if (input.people.length === 0) for (const fault of limitFaults(input.faults)) stderr.write(`${fault}\n`)

  return await interruptible((signal) =>
    withStore(input.settings, async (records) => {
      const run = { ...input, options, signal }
      if (options.dryRun) return await printDueEmails(records, run)
      const code = await withCampaignLease(records, (holdsLease) =>
        withExternalServices(input, { signal }, (services) =>
          runOnce(records, run, holdsLease, { ...services, sendEvent: sendEventOnce }),
        ),
      )
      if (code !== undefined) return code
      stderr.write('Another run is in progress. Nothing was done.\n')
      // An operator has to repeat these options.
      const requestedOption = options.release ?? options.removed ?? options.pauseUntil ?? options.confirm
      return requestedOption === undefined ? 0 : EXIT_NEEDS_SOMEONE
    }),
  )
}

function requirePeople(list: readonly unknown[]): void {
  if (list.length === 0) throw new OperatorError('the list has no one on it. Nothing was done.')
}

const KINDS = { [LAPSES]: 'lapse', [NEW_APPS]: 'newApp', [APPROVALS]: 'approval' } as const

async function printDueEmails(records: Records, run: Run): Promise<number> {
  const { people: list, settings, company, options, context, leftOut } = run
  const { stdout, stderr } = context
  const now = () => options.now ?? context.now()
  requirePeople(list)
  const people = openPeople({ records, settings, now: context.now }, company)
  const store = openKeepState(records, settings)
  const state = applyOptions(await store.load(), options, now())
  for (const fault of limitFaults(run.faults)) stderr.write(`${fault}\n`)
  const counts = { people: list.length, invitation: 0, reminder: 0, lapse: 0, newApp: 0, approval: 0 }
  const all = duePeople(list, people, { state, company, now })
  for await (const { person, invitee, emails } of all) {
    const [email] = emails
    if (email === undefined) continue
    const { name, reminder } = email
    const kind = name !== ONBOARDING ? KINDS[name] : reminder === 0 ? 'invitation' : 'reminder'
    counts[kind]++
    const about =
      name === ONBOARDING
        ? []
        : appsOf(forCampaign(name, person, state)).filter((app) => isAboutApp(name, app, person, state))
    const apps = about.map(({ instance }) => instance)
    const json = { email: invitee.email, kind, apps }
    const text = `${invitee.email}  ${kind}  ${apps.join(', ')}`.trimEnd()
    stdout.write(`${options.json ? JSON.stringify(json) : printable(text)}\n`)
  }
  // For the first steps on the overview. Only the holder of the lease writes.
  if (state.lastRunAt === undefined) {
    const dryRun = { at: context.now(), people: list.length, faults: run.faults.length }
    await withCampaignLease(records, async () => store.save({ ...(await store.load()), dryRun }))
  }
  if (options.json) stdout.write(`${JSON.stringify({ ...counts, leftOut })}\n`)
  else {
    const { people: onList, ...emails } = counts
    const { invitation, reminder, lapse, newApp, approval } = emails
    const sum = Object.values(emails).reduce((all, count) => all + count)
    stderr.write(
      `Would send ${sum} ${sum === 1 ? 'email' : 'emails'} (invitations ${invitation}, reminders ${reminder}, lost access ${lapse}, new apps ${newApp}, approvals ${approval}); people on the list: ${onList}. Emails go out Monday to Friday, ${FROM_TIME} to ${TO_TIME} local time, only to people who still have something to connect.\n`,
    )
  }
  return 0
}

type KeepServices = ExternalServices & { sendEvent: typeof sendEventOnce }

/** @returns the exit code @throws what {@link KeepRun.work} throws; /admin shows it until a run ends well */
export async function runOnce(...given: Parameters<typeof runThrough>): Promise<number> {
  const [records, { settings, context, signal }, holdsLease] = given
  try {
    return await runThrough(...given)
  } catch (error) {
    if (error instanceof OperatorError && !signal.aborted && (await holdsLease())) {
      const store = openKeepState(records, settings)
      const stopped = { at: context.now(), why: withPeriod(error.message) }
      await store.save({ ...(await store.load()), stopped })
    }
    throw error
  }
}

async function runThrough(
  records: Records,
  run: Run,
  holdsLease: () => Promise<boolean>,
  services: KeepServices,
): Promise<number> {
  const { people: list, settings, company, options, context, signal } = run
  const { now, stderr } = context
  requirePeople(list)
  const store = openKeepState(records, settings)
  const at = now()
  const stored = await store.load()
  const current = applyOptions(stored, options, at)
  // A hidden or replaced app needs no answer about its removal.
  const before = { ...current, removedApps: company.visibleInOrder(current.removedApps ?? []) }
  const actions = actionsOfRun(before, at)
  let audited = 0
  const audit = createOperatorAudit(settings, stderr)
  const save = async (state: KeepState): Promise<void> => {
    if (!(await holdsLease())) throw new RunStopped('another run took over')
    await store.save(withActions(state, actions))
    for (const { what, app: datasource, by: operator } of actions.slice(audited))
      audit({ event: what === 'markedConnected' ? 'released' : what, datasource, operator })
    audited = actions.length
  }
  await services.mailServer?.check()
  await services.service.checkToken()
  const tally = newTally()
  const progress = stderr.isTTY ? new RunProgress(tally, list.length, stderr) : undefined
  const checksPerSecond = options.askRate / 60
  const noted = { renamed: [] as string[], unknown: [] as string[] }
  const events: CampaignRun['events'] = {
    onRenamed: ({ from, to }) => noted.renamed.push(`${from} is ${to} now`),
    onProblem: (email, problem) => problem === 'unknownToService' && noted.unknown.push(email),
  }
  const deps = { ...services, tally, holdsLease, checksPerSecond, progress, signal, events }
  const campaignRun = createCampaignRun(records, run, deps)
  const { languages, composeFor } = createComposers(settings, company, { days: LINK_DAYS }, now)
  const texts = { ...company, t: languages.byTag(''), publicUrl: settings.PUBLIC_URL }
  const sendNotice = createNoticeSender(run, services)
  const keepRun = new KeepRun(list, campaignRun, {
    composeFor,
    state: before,
    save,
    company,
    notify: async (found) => {
      const known = await createReport(summarizeAll(campaignRun.people.all()), now())
      const named = { ...texts, displayName: uniqueNames(company, known) }
      return await notifyAdmins(found, run, { texts: named, sendNotice, sendEvent: services.sendEvent })
    },
    ownersOf: (instance) => company.approversOf(instance, settings.ADMIN_EMAILS).owners,
    requestApproval: (one) =>
      sendNotice(
        approvalNotice(one, { ...texts, where: company.approversOf(one.instance).approve }),
        `approval ${one.instance} ${one.requestedAt} ${one.stageChangedAt}`,
        one.owners,
      ),
    findDecision: (instance) => store.findDecision(instance),
    requireConfirmation: (message) => {
      if (options.confirm !== true) throw new OperatorError(message)
      if (!actions.some(({ what }) => what === 'confirmed'))
        actions.push({ at, what: 'confirmed', by: operatorName() })
    },
    isComplete: run.faults.length === 0,
  })
  const after = await keepRun.work().finally(() => progress?.end())
  tally.rows = list.length
  const since = before.digest?.at
  const everyone = summarizeAll(campaignRun.people.all(), after)
  const report = await createReport(everyone, now(), { since })
  const unnotified = unansweredRemovals(after).filter(({ notifiedAt }) => notifiedAt === undefined)
  const removalNoticeId = unnotified.map(({ instance, noticedAt }) => ` ${instance} ${noticedAt}`).join('')
  const isNotified =
    unnotified.length > 0 &&
    (await sendNotice(removedAppsNotice(unnotified, report, texts), `removed${removalNoticeId}`))
  const removedApps = (after.removedApps ?? []).map((one) =>
    isNotified && unnotified.includes(one) ? { ...one, notifiedAt: now() } : one,
  )
  const faults = [...run.faults, ...keepRun.listFaults]
  const counted = {
    ...after,
    stopped: undefined,
    needs: needsOfRun(after, tally, { faults, context }).map((need) => withPeriod(asLine(need))),
    removedApps,
    lastRunAt: now(),
    days: withDay(after.days, report),
  }
  const digest = digestNotice(report, counted, now(), texts)
  const isSent = isDigestDue(counted, company, now()) && (await sendNotice(digest, `digest ${report.madeAt}`))
  await save(isSent ? { ...counted, digest: { ...countsOf(report), at: now() } } : counted)
  if (stored.pausedUntil !== undefined && current.pausedUntil === undefined)
    stderr.write('The pause is over.\n')
  const moment = { company, state: counted, now: now() }
  const emailsAt = tally.sent > 0 ? undefined : await firstEmailsAt(list, campaignRun.people, moment)
  const known = { ...noted, outdated: keepRun.outdated, emailsAt }
  return sumUp(counted, report, campaignRun, { ...run, faults }, known)
}

type SendNotice = (notice: Notice, id: string, addresses?: readonly string[]) => Promise<boolean>

/** Emails administrators, or an app's owners. @returns whether at least one address gets it */
function createNoticeSender({ settings, company }: Run, { mailServer }: KeepServices): SendNotice {
  const { MAIL_FROM: from = NO_FROM, ADMIN_EMAILS: admins = [] } = settings
  const compose = createNoticeComposer(from, company)
  return async (notice, id, addresses = admins) => {
    const outcomes = []
    for (const to of addresses) outcomes.push((await mailServer?.send(compose(to, notice, id)))?.outcome)
    return outcomes.includes('sent')
  }
}

/** Sends the email and the event about a mass disconnect, each once. @returns when they were sent */
async function notifyAdmins(
  found: MassDisconnect,
  { settings, context }: Run,
  to: {
    texts: Parameters<typeof massDisconnectNotice>[1]
    sendNotice: SendNotice
    sendEvent: typeof sendEventOnce
  },
) {
  const { texts, sendNotice, sendEvent } = to
  const id = `mass disconnect ${found.instance} ${found.noticedAt}`
  const isNotified =
    found.notifiedAt === undefined && (await sendNotice(massDisconnectNotice(found, texts), id))
  const isPosted =
    found.eventAt === undefined &&
    (await sendEvent(settings, massDisconnectEvent(found), context.now()))?.kind === 'delivered'
  return { ...(isNotified && { notifiedAt: context.now() }), ...(isPosted && { eventAt: context.now() }) }
}

/** Names that are unique among the apps of the report. */
const uniqueNames =
  ({ displayName }: Company, { datasources }: Report): Company['displayName'] =>
  (app, lang) =>
    withUniqueNames([...datasources, app].map((one) => ({ ...one, name: displayName(one, lang) }))).at(-1)
      ?.name ?? app.name

const COUNTED = [...PROGRESS_STATES, 'people', 'gone', 'nothing'] as const
const statesOf = (report: Report) =>
  Object.fromEntries(COUNTED.map((what) => [what, report[what]])) as Pick<Report, (typeof COUNTED)[number]>

const countsOf = (report: Report): DailyCounts => ({ ...statesOf(report), day: report.madeAt.slice(0, 10) })

/** With the counts of this run in place of those of an earlier one of the day. */
export function withDay(days: readonly DailyCounts[], report: Report): DailyCounts[] {
  const today = countsOf(report)
  return [...days.filter(({ day }) => day !== today.day), today]
}

const asLine = (need: string) => need.replaceAll(/\n */g, ' ')

/** Action items that only the run knows. The others follow from the report and the state. */
function needsOfRun(state: KeepState, tally: Tally, run: Pick<Run, 'faults' | 'context'>): string[] {
  const zones = zonesWithoutRun(state, run.context.now()).join(', ')
  return [
    zones && `No run of this week was made in working time in ${zones}: schedule onramp keep every hour.`,
    ...limitFaults(run.faults),
    tally.unreadable > 0 && `People whose record can't be read: ${tally.unreadable}. See ${COMMAND} doctor`,
    tally.refused > 0 &&
      `Requests rejected by the service (401 or 403): ${tally.refused}. The token lacks a permission, or is invalid:\n  ${COMMAND} doctor --as EMAIL`,
  ].filter(Boolean) as string[]
}

/** Action items for the operator, each with its command. */
function actionItemsOf(state: KeepState, tally: Tally, report: Report, run: Run): string[] {
  const { uncertain, failed } = tally
  const displayName = uniqueNames(run.company, report)
  const active = activeMassDisconnects(state)
  const release = active.map(({ instance }) => ` --release ${printable(instance)}`).join('')
  return [
    ...active.map(
      ({ instance, name, lapsed, had }) =>
        `${printable(displayName({ instance, name }, ''))}: ${lapsed} of ${had} people lost access, so the cause is probably shared. No one is emailed about it. Find the cause.`,
    ),
    release && `If people have to connect it again, in one email:\n  ${COMMAND} keep PEOPLE.csv${release}`,
    ...unansweredRemovals(state).flatMap((app) => [
      `${printable(displayName(app, ''))} is gone from ${delistedCounts(report, app.instance).count} lists, and still on ${delistedCounts(report, app.instance).listed}. Was it removed? Until you answer, it is in no figure.`,
      `If it was removed:\n  ${COMMAND} keep PEOPLE.csv --removed ${printable(app.instance)}\nIf these people have connected it:\n  ${COMMAND} keep PEOPLE.csv --release ${printable(app.instance)}`,
    ]),
    ...(state.approvals ?? []).flatMap(({ isUndelivered, waiting, ...app }) =>
      isUndelivered
        ? `${printable(displayName(app, ''))}: ${waiting} ${waiting === 1 ? 'person waits' : 'people wait'} for its approval, and no one could be asked. Name its owner in the company file (datasources.${printable(app.instance)}.owner), or set ADMIN_EMAILS.`
        : [],
    ),
    ...needsOfRun(state, tally, run),
    uncertain > 0 &&
      `Emails that may not have arrived: ${uncertain}. They count as sent, so that these people are due again after seven days. To send invitations and reminders again now:\n  ${COMMAND} invite send PEOPLE.csv --retry-unknown`,
    failed > 0 &&
      `Emails that the mail server rejected for good: ${failed}. Correct the addresses on the list.`,
  ].filter(Boolean) as string[]
}

/** @param noted.renamed sentences @param noted.unknown addresses @param noted.emailsAt milliseconds since 1970 */
function sumUp(
  state: KeepState,
  report: Report,
  campaignRun: CampaignRun,
  run: Run,
  noted: { renamed: string[]; unknown: string[]; outdated: number; emailsAt: number | undefined },
): number {
  const { renamed, unknown, outdated, emailsAt } = noted
  const needs = actionItemsOf(state, campaignRun.tally, report, run)
  const pausedUntil = state.pausedUntil && utcDay(state.pausedUntil)
  const limited = report.datasources.flatMap(({ instance, emailed, limited: waiting }) =>
    waiting > 0 ? { instance, emailed, waiting } : [],
  )
  const found = { pausedUntil, renamed, unknown, outdated, limited, emailsFrom: isoDate(emailsAt) }
  const counts = { ...campaignRun.tally, states: statesOf(report), ...found }
  const json = run.options.json && { ...counts, needs: needs.map(asLine) }
  printSummary(run, campaignRun, json, { isDryRun: false, isThrough: false })
  const format = { weekday: 'short', month: 'short', day: 'numeric', timeZone: run.company.timezone } as const
  const all = `${run.settings.PUBLIC_URL}${peopleUrl({ filter: 'gone' })}`
  const lines = [
    renamed.length > 0 &&
      `${renamed.length === 1 ? '1 person has' : `${renamed.length} people have`} a new address:${indented(renamed, '--json')}`,
    unknown.length > 0 && `Unknown to the service:${indented(unknown, all)}`,
    outdated > 0 &&
      `People who have another address than on the list, and are emailed there: ${outdated}. Update the list.`,
    emailsAt && `Emails leave from ${FROM_TIME} (${new Intl.DateTimeFormat('en', format).format(emailsAt)}).`,
    pausedUntil && `Only admins are emailed before ${pausedUntil}.`,
    ...needs.map((need) => `Needs you: ${need}`),
  ]
  if (!json) for (const line of lines.filter(Boolean)) run.context.stderr.write(`${line}\n`)
  return needs.length > 0 ? EXIT_NEEDS_SOMEONE : 0
}
