// onramp invite send: invites the people of a list in one run.
import type { CommandContext, Output } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { withPeriod } from '@onramp/terminal/shell'
import { fitToColumns } from '@onramp/terminal/terminal'
import { DAY_MS, utcDay } from '../../admin/report.ts'
import { decideOnboardingEmail, ONBOARDING, type ReminderPolicy } from '../../campaigns/campaign.ts'
import { sendInvitations, type Campaign, type RunDeps } from '../../campaigns/delivery.ts'
import { forCampaign } from '../../campaigns/episodes.ts'
import { RunStopped } from '../../campaigns/ledger.ts'
import { isSuspiciouslyMany, ListedPeople } from '../../campaigns/listed-people.ts'
import type { ListEntry } from '../../campaigns/people-file.ts'
import { MailServerUnusable } from '../../campaigns/mail/send-result.ts'
import { isAllDelivered, newTally } from '../../campaigns/tally.ts'
import { calendarOf, quietUntil } from '../../campaigns/working-time.ts'
import { inScope } from '../../onboarding/walk.ts'
import { activeMassDisconnects, pausedApps } from '../../people/keep-state.ts'
import { OperatorError } from '../../problem.ts'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import { COMMAND } from '../../version.ts'
import { openKeepState, storeLabel, withStore } from '../store.ts'
import { interruptible, confirm } from '../terminal.ts'
import { createRunDeps, loadRunInput, printSummary, withExternalServices } from './campaign-run.ts'
import type { RunInput } from './campaign-run.ts'
import { createComposers } from './email.ts'
import { withCampaignLease } from './lease.ts'
import { limitFaults } from './list.ts'
import { RunProgress } from './progress.ts'
import type { SendOptions } from './send-options.ts'

const EXIT_STOPPED = 1
const EXIT_PARTLY = 3
const EXIT_LOCKED = 4

const RESUMES = 'Run the same command again to resume.'
/** A check of a person with nothing to connect stays valid for this time. */
const FRESH_MS = 3_600_000

export async function send(file: string, options: SendOptions, context: CommandContext): Promise<number> {
  const { stderr } = context
  const { dryRun } = options
  const forEmails = dryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const neededSettings = ['SERVICE_GLOBAL_TOKEN', ...forEmails] as const
  const input = await loadRunInput(file, neededSettings, options.includeGuests, context)
  const { list, faults, settings } = input
  for (const fault of limitFaults(faults)) stderr.write(`${fault}\n`)
  if (faults.length > 0 && options.onInvalid === 'stop')
    throw new OperatorError('fix these lines, or use --on-invalid skip. Nothing was sent.')
  // A failed export is often an empty file.
  if (list.length + faults.length === 0) throw new OperatorError('the list is empty. Nothing was sent.')
  if (file !== '-' && !(await confirmSending(input, options))) return EXIT_STOPPED

  try {
    return await interruptible((signal) =>
      withStore(settings, async (records) => {
        const run = { ...input, options, signal }
        if (dryRun) return await sendAll(records, run, undefined)
        const code = await withCampaignLease(records, (holdsLease) => sendAll(records, run, holdsLease))
        if (code === undefined) stderr.write('onramp invite send: another run is in progress\n')
        return code ?? EXIT_LOCKED
      }),
    )
  } catch (error) {
    const isResumed = [RunStopped, MailServerUnusable, StoreUnavailable].some((kind) => error instanceof kind)
    if (!isResumed || dryRun) throw error
    const { detail, message } = error as Error & { detail?: string }
    throw new OperatorError(`${withPeriod(detail ?? message)} ${RESUMES}`, { cause: error })
  }
}

/** Without a terminal, there is no prompt, because a script can't answer. */
async function confirmSending(input: RunInput, options: SendOptions): Promise<boolean> {
  const { list, settings, context } = input
  if (options.dryRun || options.yes || !context.stdin.isTTY || !context.stderr.isTTY) return true
  // A quiet day is refused before the prompt.
  await withStore(settings, (records) => checkQuietDay(records, input, options))
  const emails = Math.min(list.length, options.limit ?? Infinity).toLocaleString('en')
  const { MAIL_FROM, SMTP_URL = '' } = settings
  const way = `through ${new URL(SMTP_URL).host} from ${MAIL_FROM?.address ?? ''}`
  const question = `Up to ${emails} emails will be sent ${way}.\nSend them? (Use --dry-run to preview.)`
  return await confirm(false, question, context)
}

type SendRun = RunInput & { options: SendOptions; signal: AbortSignal }

/** @param holdsLease resolves to false once another run has the lease. Undefined: a dry run */
async function sendAll(records: Records, run: SendRun, holdsLease: (() => Promise<boolean>) | undefined) {
  const { list, faults, options, context, signal } = run
  const isDryRun = holdsLease === undefined
  const tally = { ...newTally(), rows: faults.length, invalid: faults.length }
  const progress = new RunProgress(tally, list.length, context.stderr)
  return await withExternalServices(run, { isDryRun, signal }, async (services) => {
    const runDeps = createRunDeps(records, run, {
      ...services,
      tally,
      holdsLease: holdsLease ?? (() => Promise.resolve(false)),
      checksPerSecond: options.rate,
      progress,
      events: eventPrinter(progress, options, context.stdout),
      signal,
    })
    const end: SendEnd = {}
    try {
      await services.mailServer?.check()
      await services.service.checkToken()
      if (!isDryRun) await warnWithoutProgress(runDeps, run)
      const campaign = await invitationCampaign(records, run)
      const current = await withCurrentAddresses(list, runDeps, context.stderr)
      end.hasRefused = current.length < list.length
      end.endedBy = await sendInvitations(current, runDeps, campaign, options.limit ?? Infinity)
    } catch (error) {
      end.error = error
      throw error
    } finally {
      progress.end()
      printEnd(runDeps, run, end)
    }
    return isAllDelivered(tally) && !end.hasRefused ? 0 : EXIT_PARTLY
  })
}

/** A dry run shows people with a new address under their former one. @throws {OperatorError} */
async function withCurrentAddresses(
  list: readonly ListEntry[],
  { people, rename }: RunDeps,
  stderr: Output,
): Promise<ListEntry[]> {
  const rows = new ListedPeople(list)
  for await (const person of people.all()) rows.matchRow(person)
  const { changes } = rows
  const former = new Map(changes.toReversed().map(({ from, to }) => [to, from]))
  if (rename === undefined) return list.map((row) => ({ ...row, email: former.get(row.email) ?? row.email }))
  if (isSuspiciouslyMany(changes, list.length))
    throw new OperatorError(
      `${changes.length} people have another address or id on the list than before. If that is right, run "${COMMAND} keep PEOPLE.csv --confirm" first, or "${COMMAND} person rename --file FILE". Nothing was sent.`,
    )
  const current = rows.rowsByCurrentAddress(await rename(changes))
  for (const fault of limitFaults(rows.faults)) stderr.write(`${fault}\n`)
  return current
}

/** Warns of an empty store, which may be the wrong one. */
async function warnWithoutProgress({ people }: RunDeps, { settings, context }: SendRun): Promise<void> {
  if ((await people.all().next()).done === true)
    context.stderr.write(
      `No saved progress in ${storeLabel(settings)}: everyone will be treated as not yet invited.\n`,
    )
}

/** @throws {OperatorError} in a pause or on a quiet day, except for a dry run */
async function checkQuietDay(records: Records, run: RunInput, { dryRun }: SendOptions) {
  const { settings, company, context } = run
  const state = await openKeepState(records, settings).load()
  const until = quietUntil(context.now(), calendarOf(company, {}, state))
  if (until !== undefined) {
    const why = `no email leaves before ${utcDay(until)}: a pause (keep --pause-until), or a quiet day of the company file.`
    if (!dryRun) throw new OperatorError(`${why} Nothing was sent.`)
    context.stderr.write(`On this day, ${why}\n`)
  }
  return { state, until }
}

async function invitationCampaign(records: Records, run: SendRun): Promise<Campaign> {
  const { settings, company, options, context } = run
  const { state: saved, until } = await checkQuietDay(records, run, options)
  // Without keep, nothing evaluates whether apps that left a list were removed.
  const state = { evaluatedAt: Infinity, ...saved }
  for (const disconnect of activeMassDisconnects(state)) {
    const pausedNames = [...pausedApps({ massDisconnects: [disconnect] })].map(printable)
    const command = `${COMMAND} keep PEOPLE.csv --release ${pausedNames.at(-1)}`
    context.stderr.write(`${pausedNames.join(', ')}: on hold until ${command}.\n`)
  }
  const { remindAfter, datasource: datasources = [] } = options
  const isAbout: Campaign['isAbout'] = ({ instance }) => inScope({ datasources }, instance)
  const policy: ReminderPolicy = {
    remindAfterMs: remindAfter === undefined ? undefined : remindAfter * DAY_MS,
    uncertain: options.retryUnknown ? 'resend' : 'wait',
    checkValidMs: FRESH_MS,
    isAbout,
  }
  return {
    name: ONBOARDING,
    decide: (person, now) =>
      until === undefined && quietUntil(now, calendarOf(company, person, state)) !== undefined
        ? { kind: 'not-due', wasSent: false }
        : decideOnboardingEmail(forCampaign(ONBOARDING, person, state), policy, now),
    isAbout,
    state,
    compose: createComposers(settings, company, options, context.now).composeFor(ONBOARDING),
    postponesFailedChecks: true,
  }
}

type SendEnd = {
  error?: unknown
  hasRefused?: boolean
  endedBy?: 'list' | 'limit' | 'signal'
}

function printEnd(runDeps: RunDeps, run: SendRun, { error, endedBy }: SendEnd): void {
  const { dryRun, json, limit } = run.options
  const { tally } = runDeps
  const isInterrupted = run.signal.aborted
  const { sent, ...others } = tally
  const counts = dryRun ? { ...others, wouldSend: sent } : tally
  const stopped = isInterrupted ? 'interrupted' : error instanceof Error ? error.name : undefined
  const isRefused = tally.rows === 0 && error !== undefined
  if (json || !isRefused)
    printSummary(run, runDeps, json && { campaign: ONBOARDING, ...counts, stopped }, {
      isDryRun: dryRun === true,
      isComplete: endedBy === 'list',
    })
  const why = isInterrupted ? 'Interrupted.' : endedBy === 'limit' && `--limit ${limit} reached.`
  if (why) run.context.stderr.write(`${why}${dryRun ? '' : ` ${RESUMES}`}\n`)
}

const PROBLEMS = {
  unknownToService: 'unknown to the search service',
  'no-response': 'no valid response from the service',
  refused: 'refused by the service',
  deferred: 'not accepted by the mail server (retried next run)',
  failed: 'rejected by the mail server',
  uncertain: 'delivery unknown',
  unreadable: "not emailed: what is stored about this person can't be read; see onramp doctor",
}

/** Prints each problem, and each email of a dry run, as it happens. */
const eventPrinter = (
  progress: Pick<RunProgress, 'print'>,
  { json }: { json?: true | undefined },
  stdout: Output,
): NonNullable<RunDeps['events']> => ({
  onProblem: (email, problem, detail) =>
    progress.print(`${email}: ${PROBLEMS[problem]}${detail === undefined ? '' : `: ${printable(detail)}`}\n`),
  onWouldSend(email, reminder, apps) {
    if (json) return progress.print(`${JSON.stringify({ email, reminder, apps })}\n`, stdout)
    const kind = reminder === 0 ? 'invitation' : `reminder ${reminder}`
    const line = `${email}  ${kind}  ${printable(apps.join(', '))}`
    // A terminal gets one line, a program the complete text.
    const shownLine = stdout.isTTY === true ? fitToColumns(line, (stdout.columns ?? 80) - 1).trimEnd() : line
    progress.print(`${shownLine}\n`, stdout)
  },
})
