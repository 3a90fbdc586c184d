// onramp keep: invites, checks and reminds the people of the list in one run, meant for an hourly schedule.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { withPeriod } from '@onramp/terminal/shell'
import { summarizeAll } from '../admin/person-summary.ts'
import { createReport, isoTime, type Report } from '../admin/report.ts'
import { APPROVALS, MOVED_APPROVALS } from '../campaigns/approvals.ts'
import { ONBOARDING } from '../campaigns/campaign.ts'
import type { RunDeps } from '../campaigns/delivery.ts'
import { duePeople, emailsOutOfHours, KeepRun, zonesWithoutRun } from '../campaigns/keep-run.ts'
import { ListedPeople, type AddressChange } from '../campaigns/listed-people.ts'
import { isAboutApp, LAPSES, NEW_APPS, forCampaign } from '../campaigns/episodes.ts'
import { RunStopped } from '../campaigns/ledger.ts'
import { newTally, type Tally } from '../campaigns/tally.ts'
import { calendarOf, nextWorkday, WORKING_HOURS } from '../campaigns/working-time.ts'
import { PROGRESS_STATES, withActions } from '../people/keep-state.ts'
import type { DailyCounts, KeepState, KeepStateStore } from '../people/keep-state.ts'
import { appsOf } from '../people/person.ts'
import { isOnlySignedIn } from '../people/rename.ts'
import { OperatorError } from '../problem.ts'
import type { Records } from '../records/records.ts'
import { COMMAND } from '../version.ts'
import type { Audit } from '../web/audit.ts'
import { sendEventOnce } from '../webhooks/sender.ts'
import { createRunDeps, loadRunInput, withExternalServices } from './invite/campaign-run.ts'
import type { ExternalServices, RunInput } from './invite/campaign-run.ts'
import { createComposers } from './invite/email.ts'
import { withCampaignLease } from './invite/lease.ts'
import { limitFaults } from './invite/list.ts'
import { RunProgress } from './invite/progress.ts'
import { KeepNotices } from './keep-notices.ts'
import { actionsOfRun, applyCompanyFile, applyOptions } from './keep-options.ts'
import { describeOutOfHours, printRun } from './keep-summary.ts'
import { createOperatorAudit, operatorName } from './operator.ts'
import { renameAll } from './rename.ts'
import { openKeepState, openPeople, withStore } from './store.ts'
import { interruptible } from './terminal.ts'

/** `now`: milliseconds since 1970. `askRate`: checks per minute (--ask-rate). */
type KeepCommandOptions = Parameters<typeof applyOptions>[1] & {
  dryRun?: true | undefined
  json?: true | undefined
  now?: number | undefined
  askRate: number
  confirm?: true | undefined
  includeGuests?: true | undefined
}

type KeepInput = RunInput & { options: KeepCommandOptions; signal: AbortSignal }

/** The operator has to repeat the command with --confirm. */
class ConfirmationRequired extends OperatorError {}

const EXIT_NEEDS_SOMEONE = 3
const LINK_DAYS = 30

export async function keep(file: string, options: KeepCommandOptions, context: CommandContext) {
  const { stderr } = context
  if (options.now !== undefined && !options.dryRun) throw new UsageError('--now requires --dry-run')
  const neededSettings = options.dryRun ? [] : (['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'] as const)
  const input = await loadRunInput(file, neededSettings, options.includeGuests, context)
  // A failed export is often an empty file.
  if (input.list.length === 0) for (const fault of limitFaults(input.faults)) stderr.write(`${fault}\n`)

  return await interruptible((signal) =>
    withStore(input.settings, async (records) => {
      const keepInput = { ...input, options, signal }
      if (options.dryRun) return await printDueEmails(records, keepInput)
      const code = await withCampaignLease(records, (holdsLease) =>
        withExternalServices(input, { isDryRun: false, signal }, (services) =>
          runOnce(records, keepInput, holdsLease, { ...services, sendEvent: sendEventOnce }),
        ),
      )
      if (code !== undefined) return code
      stderr.write('Another run is in progress. Nothing was done.\n')
      // The operator has to repeat the command with these options.
      const requestedOption = options.release ?? options.removed ?? options.pauseUntil ?? options.confirm
      return requestedOption === undefined ? 0 : EXIT_NEEDS_SOMEONE
    }),
  )
}

function requireList(list: readonly unknown[]): void {
  if (list.length === 0) throw new OperatorError('the list has no one on it. Nothing was done.')
}

const KINDS = {
  [LAPSES]: 'lapse',
  [NEW_APPS]: 'newApp',
  [APPROVALS]: 'approval',
  [MOVED_APPROVALS]: 'approval',
} as const

async function printDueEmails(records: Records, input: KeepInput): Promise<number> {
  const { settings, company, options, context, leftOut } = input
  const { stdout, stderr } = context
  const now = () => options.now ?? context.now()
  requireList(input.list)
  const peopleStore = openPeople({ records, settings, now: context.now }, company)
  const rows = new ListedPeople(input.list)
  const inUse = new Set<string>()
  for await (const person of peopleStore.all()) {
    rows.matchRow(person)
    if (person.renamingFrom === undefined && !isOnlySignedIn(person)) inUse.add(person.email)
  }
  const doubt = rows.doubt(input.faults.length === 0)
  if (doubt !== undefined && options.confirm !== true) throw new ConfirmationRequired(doubt)
  const store = openKeepState(records, settings)
  const withOptions = applyOptions(await store.load(), options, { now: now(), ...company })
  const state = applyCompanyFile(withOptions, company, now())
  const { list, renamed, faults } = await previewRenames(rows, inUse, input)
  const andMore = (more: number) => `and ${more} more`
  const changes = ListedPeople.describe([...renamed, ...rows.sameNames], false)
  for (const change of limitFaults(changes, andMore)) stderr.write(`In a run, ${change}\n`)
  for (const fault of limitFaults(faults)) stderr.write(`${fault}\n`)
  const peopleCount = input.list.length
  const counts = { invitation: 0, reminder: 0, lapse: 0, newApp: 0, approval: 0 }
  const due = duePeople(list, peopleStore, { state, company, now })
  for await (const { person, entry, emails, context: moment } of due) {
    const [email] = emails
    if (email === undefined) continue
    const { name, reminder } = email
    const kind = name !== ONBOARDING ? KINDS[name] : reminder === 0 ? 'invitation' : 'reminder'
    counts[kind]++
    const about =
      name === ONBOARDING
        ? []
        : appsOf(forCampaign(name, person, state)).filter((app) => isAboutApp(name, app, person, moment))
    const apps = about.map(({ instance }) => instance)
    const json = { email: entry.email, kind, apps }
    const text = `${entry.email}  ${kind}  ${apps.join(', ')}`.trimEnd()
    stdout.write(`${options.json ? JSON.stringify(json) : printable(text)}\n`)
  }
  // The overview's first steps need this. Only the holder of the lease writes.
  if (state.lastRunAt === undefined) {
    const dryRun = { at: context.now(), people: peopleCount, faults: faults.length }
    await withCampaignLease(records, async () => store.save({ ...(await store.load()), dryRun }))
  }
  const outOfHours = await emailsOutOfHours(list, peopleStore, { state, company, now: now() })
  const from = isoTime(outOfHours.from)
  const json = { people: peopleCount, ...counts, leftOut, emailsWaiting: outOfHours.count, emailsFrom: from }
  if (options.json) stdout.write(`${JSON.stringify(json)}\n`)
  else {
    const { invitation, reminder, lapse, newApp, approval } = counts
    const sum = Object.values(counts).reduce((total, count) => total + count)
    stderr.write(
      `Would send ${sum} ${sum === 1 ? 'email' : 'emails'} (invitations ${invitation}, reminders ${reminder}, lost access ${lapse}, new apps ${newApp}, approvals ${approval}); people on the list: ${peopleCount}. Emails go out Monday to Friday, ${WORKING_HOURS.fromTime} to ${WORKING_HOURS.toTime} local time, only to people who still have something to connect.\n`,
    )
    if (outOfHours.count > 0)
      stderr.write(`${describeOutOfHours(outOfHours, sum > 0)} Add --now ${from} to list them.\n`)
  }
  return faults.length > 0 ? EXIT_NEEDS_SOMEONE : 0
}

/** The list as a run would use it, without writing. @param inUse addresses with data */
async function previewRenames(rows: ListedPeople, inUse: Set<string>, input: KeepInput) {
  const { list: listed, faults, context } = input
  const renamed: AddressChange[] = []
  if (rows.rowsWithNewIds.length > 0) return { list: listed, renamed, faults }
  const preview = (from: string, to: string) => {
    if (inUse.has(to)) return Promise.resolve('taken' as const)
    inUse.delete(from)
    inUse.add(to)
    return Promise.resolve('renamed' as const)
  }
  const onDone = (change: AddressChange) => void renamed.push(change)
  const options = { audit: () => {}, now: context.now, onDone, by: 'list' as const }
  const list = rows.rowsByCurrentAddress(await renameAll({ rename: preview }, rows.changes, options))
  return { list, renamed, faults: [...faults, ...rows.faults.map(withPeriod)] }
}

type KeepServices = ExternalServices & { sendEvent: typeof sendEventOnce }

/** @returns the exit code @throws errors of {@link KeepRun.run}, which /admin shows until a run is complete */
export async function runOnce(...args: Parameters<typeof runKeep>): Promise<number> {
  const [records, { settings, context, signal }, holdsLease] = args
  try {
    return await runKeep(...args)
  } catch (error) {
    if (error instanceof OperatorError && !signal.aborted && (await holdsLease())) {
      const store = openKeepState(records, settings)
      const needsConfirm = error instanceof ConfirmationRequired
      const stopped = { at: context.now(), why: withPeriod(error.message), needsConfirm }
      await store.save({ ...(await store.load()), stopped })
    }
    throw error
  }
}

/** Action items that only the run knows. Faulty lines come last. */
function needsOfRun({ unreadable, refused }: Tally, zones: string, faults: readonly string[]) {
  const needs = [
    zones && `No run of this week was made in working time in ${zones}: schedule onramp keep every hour`,
    unreadable > 0 && `People whose record can't be read: ${unreadable}. See "${COMMAND} doctor"`,
    refused > 0 &&
      `Requests rejected by the service (401 or 403): ${refused}. The token lacks a permission, or is invalid. See "${COMMAND} doctor --as EMAIL"`,
    ...limitFaults(faults),
  ]
  return needs.flatMap((need) => (need ? withPeriod(need) : []))
}

async function runKeep(
  records: Records,
  input: KeepInput,
  holdsLease: () => Promise<boolean>,
  services: KeepServices,
): Promise<number> {
  const { list, settings, company, options, context, signal } = input
  const { now, stderr } = context
  requireList(list)
  const store = openKeepState(records, settings)
  const at = now()
  const loaded = await store.load()
  const withOptions = applyOptions(loaded, options, { now: at, ...company })
  const actions = actionsOfRun(withOptions, at)
  const atStart = applyCompanyFile(withOptions, company, at)
  const audit = createOperatorAudit(settings, stderr)
  const save = createAuditedSave(store, actions, { holdsLease, audit })
  await services.mailServer?.check()
  await services.service.checkToken()
  const tally = newTally()
  const progress = stderr.isTTY ? new RunProgress(tally, list.length, stderr) : undefined
  const checksPerSecond = options.askRate / 60
  const noted = { renamed: [] as AddressChange[], unknown: [] as string[] }
  const events: RunDeps['events'] = {
    onRenamed: (change) => noted.renamed.push(change),
    onProblem: (email, problem) => problem === 'unknownToService' && noted.unknown.push(email),
  }
  const useConfirmation = createConfirmationUse(options, actions, at)
  const runDeps = createRunDeps(records, input, {
    ...services,
    confirmEmptyLists: useConfirmation,
    tally,
    holdsLease,
    checksPerSecond,
    progress,
    signal,
    events,
  })
  const { people: peopleStore } = runDeps
  const composers = createComposers(settings, company, { days: LINK_DAYS }, now)
  const { composeFor, composeNotice: compose } = composers
  const { mailServer, sendEvent } = services
  const t = composers.languages.byTag('')
  const notices = new KeepNotices({ settings, company, t, peopleStore, compose, mailServer, sendEvent, now })
  const keepRun = new KeepRun(list, runDeps, {
    composeFor,
    state: withActions(atStart, actions),
    save,
    company,
    notify: (disconnect) => notices.sendMassDisconnect(disconnect, atStart),
    ownersOf: (instance) => company.approversOf(instance, settings.ADMIN_EMAILS).owners,
    requestApproval: (approval) => notices.requestApproval(approval, atStart),
    findDecision: (instance) => store.findDecision(instance),
    requireConfirmation: (message) => {
      if (!useConfirmation()) throw new ConfirmationRequired(message)
    },
    isComplete: input.faults.length === 0,
  })
  const runState = await keepRun.run().finally(() => progress?.end())
  const afterRun = applyCompanyFile(runState, company, now())
  tally.rows = list.length
  const report = await createReport(summarizeAll(peopleStore.all(), afterRun), now(), {
    since: atStart.digest?.at,
    state: afterRun,
    workdayFrom: (from, person) => nextWorkday(from, calendarOf(company, person, afterRun)),
  })
  const faults = [...input.faults, ...keepRun.listFaults]
  const needs = needsOfRun(tally, zonesWithoutRun(afterRun, now()).join(', '), faults)
  const withNeeds = { ...afterRun, stopped: undefined, needs }
  const final = await withCounts(withNeeds, report, notices, now)
  await save(final)
  if (loaded.pausedUntil !== undefined && withOptions.pausedUntil === undefined)
    stderr.write('The pause is over.\n')
  const rows = [...keepRun.entries.values()]
  const outOfHours = await emailsOutOfHours(rows, peopleStore, { company, state: final, now: now() })
  const renamed = ListedPeople.describe(noted.renamed, true)
  const outdated = ListedPeople.describe(keepRun.outdated, true)
  const outcome = { ...noted, renamed, outdated, actions, outOfHours, began: at }
  return printRun(report, final, { ...input, runDeps }, outcome) ? EXIT_NEEDS_SOMEONE : 0
}

/** @returns a function that returns true with --confirm, and then records once that it was used */
const createConfirmationUse =
  ({ confirm }: KeepCommandOptions, actions: ReturnType<typeof actionsOfRun>, at: number) =>
  (): boolean => {
    if (confirm === true && !actions.some(({ what }) => what === 'confirmed'))
      actions.push({ at, what: 'confirmed', by: operatorName() })
    return confirm === true
  }

/** Adds what the report counts to the state, and sends the emails that follow from it. */
async function withCounts(state: KeepState, report: Report, notices: KeepNotices, now: () => number) {
  const countedState: KeepState = {
    ...state,
    ...(await notices.sendDelistedApps(state, report)),
    apps: report.datasources.map(({ instance, name }) => ({ instance, name })),
    lastRunAt: now(),
    // An outage would stay in the trend.
    days: report.isNoneLeft && report.hadToConnect === 0 ? state.days : withDay(state.days, report),
  }
  const isSent = await notices.sendDigest(countedState, report)
  return isSent ? { ...countedState, digest: { ...countsOf(report), at: now() } } : countedState
}

/** Saves the state with the run's actions, and audits each action once. */
function createAuditedSave(
  store: Pick<KeepStateStore, 'save'>,
  actions: ReturnType<typeof actionsOfRun>,
  { holdsLease, audit }: { holdsLease: () => Promise<boolean>; audit: Audit },
) {
  let auditedCount = 0
  return async (state: KeepState): Promise<void> => {
    if (!(await holdsLease())) throw new RunStopped('another run took over')
    await store.save(
      withActions(
        state,
        actions.filter((action) => !state.actions?.includes(action)),
      ),
    )
    for (const { what, app: datasource, by: operator } of actions.slice(auditedCount))
      audit({ event: what === 'markedConnected' ? 'released' : what, datasource, operator })
    auditedCount = actions.length
  }
}

const COUNTED = [...PROGRESS_STATES, 'people', 'gone', 'nothing'] as const

function countsOf(report: Report): DailyCounts {
  const states = Object.fromEntries(COUNTED.map((name) => [name, report[name]]))
  const day = report.madeAt.slice(0, 10)
  return { ...(states as Pick<Report, (typeof COUNTED)[number]>), invited: report.funnel.invited, day }
}

/** Replaces the counts of an earlier run on the same day. */
export function withDay(days: readonly DailyCounts[], report: Report): DailyCounts[] {
  const today = countsOf(report)
  return [...days.filter(({ day }) => day !== today.day), today]
}
