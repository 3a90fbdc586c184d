// onramp invite send: the arguments and the settings, made into one run over the list.
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { withPeriod } from '@onramp/terminal/shell'
import { createPersonCheck } from '../../campaigns/person-check.ts'
import { dueEmail, ONBOARDING } from '../../campaigns/campaign.ts'
import { createLedger, RunStopped } from '../../campaigns/ledger.ts'
import { MailServerUnusable } from '../../campaigns/mail/send-result.ts'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { AT_ONCE, createThrottle, EMAILS_PER_SECOND } from '../../campaigns/throttle.ts'
import type { Invitee, LeftOut } from '../../campaigns/people-file.ts'
import { sendInvitations, type EndedBy } from '../../campaigns/send.ts'
import {
  isComplete,
  describeThrottling,
  limitOf,
  newTally,
  formatSummary,
  type Tally,
} from '../../campaigns/tally.ts'
import { inScope } from '../../onboarding/walk.ts'
import { pausedApps } from '../../people/keep-state.ts'
import { OperatorError } from '../../problem.ts'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { openPeople, openKeepState, storeLabel, withStore } from '../store.ts'
import { interruptible, confirm } from '../terminal.ts'
import { withCampaignLease } from './lease.ts'
import { limitFaults, openList, readList } from './list.ts'
import { loadCompanyOf, composerFor, serviceFor, loadSettingsWith } from './email.ts'
import { printing, showProgress } from './progress.ts'
import { policyOf, type SendOptions } from './send-options.ts'

const EXIT_STOPPED = 1
const EXIT_PARTLY = 3
const EXIT_LOCKED = 4

const RESUMES = 'Run the same command again to resume.'

export async function send(file: string, options: SendOptions, parts: CommandContext): Promise<number> {
  const { stdin, stderr, env } = parts
  const { dryRun } = options
  const list = openList(file, stdin)
  const settings = loadSettingsWith(
    dryRun ? ['SERVICE_GLOBAL_TOKEN'] : ['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'],
    env,
  )
  const company = loadCompanyOf(settings)
  const { people, faults, leftOut } = await readList(list, options.includeGuests, stderr)
  for (const fault of limitFaults(faults)) stderr.write(`${fault}\n`)
  if (faults.length > 0 && options.onInvalid === 'stop')
    throw new OperatorError('fix these lines, or use --on-invalid skip. Nothing was sent.')
  // An export that went wrong is often an empty file.
  if (people.length + faults.length === 0) throw new OperatorError('the list is empty. Nothing was sent.')
  // A script is not asked, because it cannot answer.
  if (file !== '-' && !dryRun && !options.yes && stdin.isTTY && stderr.isTTY) {
    const emails = Math.min(people.length, options.limit ?? Infinity).toLocaleString('en')
    const { MAIL_FROM, SMTP_URL = '' } = settings
    const way = `through ${new URL(SMTP_URL).host} from ${MAIL_FROM?.address ?? ''}`
    const question = `Up to ${emails} emails will be sent ${way}.\nSend them? (Use --dry-run to preview.)`
    if (!(await confirm(false, question, parts))) return EXIT_STOPPED
  }

  try {
    return await interruptible((signal) => {
      const run = { people, invalid: faults.length, leftOut, settings, company, options, parts, signal }
      return withStore(settings, async (records) => {
        // A dry run holds nothing.
        if (dryRun) return await sendAll(records, run)
        const code = await withCampaignLease(records, stderr, (isHeld) => sendAll(records, run, isHeld))
        if (code === undefined) stderr.write('onramp invite send: another run is at work\n')
        return code ?? EXIT_LOCKED
      })
    })
  } catch (error) {
    const isResumed = [RunStopped, MailServerUnusable, StoreUnavailable].some((kind) => error instanceof kind)
    if (!isResumed || dryRun) throw error
    const { detail, message } = error as Error & { detail?: string }
    throw new OperatorError(`${withPeriod(detail ?? message)} ${RESUMES}`, { cause: error })
  }
}

type Run = {
  people: readonly Invitee[]
  /** Rows of the list. */
  invalid: number
  leftOut: LeftOut
  settings: Settings
  company: ReturnType<typeof loadCompanyOf>
  options: SendOptions
  parts: CommandContext
  signal: AbortSignal
}

/** A pause of the service or the mail server that is worth a line. */
const MIN_PAUSE_SECONDS = 60
const SLOW = 'Waiting for the mail server: an email has up to 10 minutes to be answered…\n'

/** A clock that is never set back. */
const steady = () => performance.now()

/** @param isHeld is the lease still this run's? Absent: a dry run */
async function sendAll(records: Records, run: Run, isHeld?: () => Promise<boolean>): Promise<number> {
  const { settings, company, options, parts, signal } = run
  const { now, stderr } = parts
  const people = openPeople({ records, settings, now }, company)
  const tally = { ...newTally(), rows: run.invalid, invalid: run.invalid }
  const progress = showProgress(tally, run.people.length, parts)
  const paceOf = (perSecond: number) => createThrottle({ perSecond, now: steady, signal })
  const service = serviceFor(settings, company)
  const check = createPersonCheck({
    whatIsLeft: service.whatIsLeft,
    pace: paceOf(options.rate),
    onPause(seconds) {
      if (seconds >= MIN_PAUSE_SECONDS)
        progress.print(`The service asks not to be called for ${Math.ceil(seconds / 60)} minutes…\n`)
    },
    signal,
  })
  const emailThrottle = paceOf(EMAILS_PER_SECOND)
  let isSlow = false
  let isThrottled = false
  const server =
    isHeld &&
    createMailServer(settings, {
      signal,
      onSlow() {
        if (!isSlow) progress.print(SLOW)
        isSlow = true
      },
    })
  let failure: unknown
  let endedBy: EndedBy | undefined
  try {
    await server?.check()
    await service.checkToken()
    if (isHeld !== undefined && (await people.all().next()).done === true)
      stderr.write(
        `No saved progress in ${storeLabel(settings)}: everyone will be treated as not yet invited.\n`,
      )
    const held = pausedApps(await openKeepState(records, settings).load())
    if (held.size > 0)
      stderr.write(
        `${printable([...held].join(', '))}: on hold until onramp keep PEOPLE.csv --release all.\n`,
      )
    const policy = policyOf(options)
    endedBy = await sendInvitations(run.people, {
      ...printing(progress, options, parts.stdout),
      ledger: createLedger({
        people,
        campaign: ONBOARDING,
        due: (person, at) => dueEmail(person, policy, at),
        isHeld: isHeld ?? (() => Promise.resolve(false)),
        now,
        signal,
      }),
      check,
      isAbout: (instance) => inScope({ only: options.datasource ?? [] }, instance) && !held.has(instance),
      compose: composerFor(settings, company, { ...options, campaign: ONBOARDING }, now).compose,
      send: server?.send,
      emailThrottle,
      onThrottle(seconds, reply) {
        if (!isThrottled || seconds >= MIN_PAUSE_SECONDS)
          progress.print(`The mail server takes no more emails for now: ${reply}. Waiting ${seconds} s…\n`)
        isThrottled = true
      },
      atOnce: AT_ONCE,
      limit: options.limit ?? Infinity,
      tally,
      signal,
    })
  } catch (error) {
    failure = error
    throw error
  } finally {
    progress.end()
    server?.close()
    await service.close()
    const emailsPerMinute = limitOf(emailThrottle.rate())
    const more = { leftOut: run.leftOut, emailsPerMinute }
    sumUp(tally, options, { error: failure, endedBy, isInterrupted: signal.aborted, more }, parts)
    if (!options.json) stderr.write(describeThrottling(emailsPerMinute))
  }
  return isComplete(tally) ? 0 : EXIT_PARTLY
}

/** @param end.error why the run failed @param end.more for the JSON */
function sumUp(
  tally: Tally,
  { dryRun, json, limit }: SendOptions,
  end: { error: unknown; endedBy: EndedBy | undefined; isInterrupted: boolean; more: object },
  { stdout, stderr }: CommandContext,
): void {
  const { error, endedBy, isInterrupted, more } = end
  if (json) {
    const { sent, ...others } = tally
    const counts = dryRun ? { ...others, wouldSend: sent } : tally
    const stopped = isInterrupted ? 'interrupted' : error instanceof Error ? error.name : undefined
    stdout.write(`${JSON.stringify({ campaign: ONBOARDING, ...counts, ...more, stopped })}\n`)
  } else if (tally.rows > 0 || error === undefined)
    stderr.write(formatSummary(tally, dryRun === true, endedBy === 'list'))
  const why = isInterrupted ? 'Interrupted.' : endedBy === 'limit' && `--limit ${limit} reached.`
  if (why) stderr.write(`${why}${dryRun ? '' : ` ${RESUMES}`}\n`)
}
