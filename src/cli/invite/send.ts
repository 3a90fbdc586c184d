// onramp invite send: the arguments and the settings, made into one run over the list.
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { sentence } from '@onramp/deprecations/command-line/shell'
import { createAsk } from '../../campaigns/ask.ts'
import type { Policy } from '../../campaigns/campaign.ts'
import { createLedger, RunStopped } from '../../campaigns/ledger.ts'
import { MailServerUnusable } from '../../campaigns/mail/outcome.ts'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { createPace } from '../../campaigns/pace.ts'
import { readPeople } from '../../campaigns/people-file.ts'
import { sendInvitations, type EndedBy } from '../../campaigns/send.ts'
import { isComplete, newTally } from '../../campaigns/tally.ts'
import { createClientApi } from '../../client-api/client.ts'
import { inScope } from '../../onboarding/walk.ts'
import { Explained } from '../../problem.ts'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { openPeople, storeInWords, withStore } from '../store.ts'
import { EXIT_INTERRUPTED, isAtTerminal, isConfirmed, stopOnSignals } from '../terminal.ts'
import type { SendOptions } from './send-options.ts'
import { holdCampaign, type Hold } from './lease.ts'
import { listOf, peopleIn, refuseEmpty, type List } from './list.ts'
import { companyOf, mailFor, settingsWith } from './mail.ts'
import { openMetricsFile, type MetricsFile } from './metrics-file.ts'
import { printing, RESUMES, showProgress, sumUp } from './progress.ts'

const EXIT_STOPPED = 1
const EXIT_PARTLY = 3
const EXIT_LOCKED = 4

type Run = {
  settings: Settings
  company: ReturnType<typeof companyOf>
  list: List
  /** How many are on the list; undefined: not known. */
  people: number | undefined
  options: SendOptions
  parts: CliParts
  metrics: MetricsFile
  signal: AbortSignal
}

export async function send(file: string, options: SendOptions, parts: CliParts): Promise<number> {
  const list = listOf(file, parts.stdin)
  const toMail = options.dryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const settings = settingsWith(['SERVICE_GLOBAL_TOKEN', ...toMail], parts.env)
  const company = companyOf(settings)
  const people = list.isFile ? await peopleIn(list, options.onInvalid, parts.stderr) : undefined
  if (people !== undefined && !(await isAgreed(people, settings, options, parts))) return EXIT_STOPPED

  const metrics = await openMetricsFile(options.metrics)
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  const { signal } = stop
  signal.addEventListener('abort', () => list.close(), { once: true })
  const run = { settings, company, list, people, options, parts, metrics, signal }
  try {
    const { observeStore: onOperation } = metrics
    return await withStore(settings, (records) => sendAlone(records, run), { onOperation })
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED
    // Ending the run was asked for, so the store is not the reason.
    if (signal.aborted && error instanceof StoreUnavailable) return EXIT_INTERRUPTED
    const isResumed = [RunStopped, MailServerUnusable, StoreUnavailable].some((kind) => error instanceof kind)
    if (!isResumed || options.dryRun) throw error
    const { detail, message } = error as Error & { detail?: string }
    throw new Explained(`${sentence(detail ?? message)} ${RESUMES}`, { cause: error })
  } finally {
    await metrics.end()
    restore()
    list.close()
  }
}

/** Before emails go out from a terminal, a person confirms. A script is not asked, because it cannot answer. */
async function isAgreed(
  people: number,
  { MAIL_FROM, SMTP_URL = '' }: Settings,
  { dryRun, yes, limit = Infinity }: SendOptions,
  parts: CliParts,
): Promise<boolean> {
  if (dryRun || yes || !isAtTerminal(parts)) return true
  const emails = Math.min(people, limit).toLocaleString('en')
  const through = `through ${new URL(SMTP_URL).host} from ${MAIL_FROM?.address ?? ''}`
  parts.stderr.write(`Up to ${emails} emails will be sent ${through}.\n`)
  const isYes = await isConfirmed('Send these emails? (Use --dry-run to preview.)')
  if (!isYes) parts.stderr.write('Nothing was sent.\n')
  return isYes
}

/** Sends while this run holds the campaign. A dry run holds nothing. */
async function sendAlone(records: Records, run: Run): Promise<number> {
  const { options, parts } = run
  if (options.dryRun) return await sendAll(records, run)
  const hold = await holdCampaign(records, options.campaign, parts.stderr)
  if (hold !== undefined) return await sendAll(records, run, hold).finally(() => hold.release())
  const name = JSON.stringify(options.campaign)
  parts.stderr.write(`onramp invite send: campaign ${name} is already running\n`)
  return EXIT_LOCKED
}

/** A pause of the service that is worth a line. */
const MIN_PAUSE_SECONDS = 60
const SLOW = 'Waiting for the mail server: an email has up to 10 minutes to be answered…\n'

/** A clock that is never set back. */
const steady = () => performance.now()

/** @param hold absent: a dry run */
async function sendAll(records: Records, run: Run, hold?: Hold): Promise<number> {
  const { settings, company, list, options, parts, metrics, signal } = run
  const { now, stderr } = parts
  const people = openPeople({ records, settings, now }, company)
  const tally = newTally()
  const progress = showProgress(tally, run.people, parts)
  const paceOf = (perSecond: number) => createPace({ perSecond, now: steady, signal })
  const clientApi = createClientApi({
    baseUrl: settings.SERVICE_BASE_URL,
    headerPrefix: settings.SERVICE_HEADER_PREFIX,
    onCall: metrics.observeService,
  })
  const token = settings.SERVICE_GLOBAL_TOKEN ?? ''
  const ask = createAsk({
    // As on the pages: an app that the company hides is neither named nor counted, here or in the report.
    whatIsLeft: async (actAs) =>
      company.arrange(
        await clientApi.whatIsLeft({ kind: 'global-token', token, actAs, setting: 'SERVICE_GLOBAL_TOKEN' }),
      ),
    pace: paceOf(options.rate),
    onPause(seconds) {
      if (seconds >= MIN_PAUSE_SECONDS)
        progress.print(`The service asks not to be called for ${Math.ceil(seconds / 60)} minutes…\n`)
    },
    signal,
  })
  let isSlow = false
  const server =
    hold &&
    createMailServer(settings.SMTP_URL ?? '', {
      connections: options.atOnce,
      signal,
      onEmail: metrics.observeEmail,
      onSlow() {
        if (!isSlow) progress.print(SLOW)
        isSlow = true
      },
    })
  let failure: unknown
  let endedBy: EndedBy | undefined
  try {
    await server?.check()
    if (hold !== undefined && (await people.all().next()).done === true)
      stderr.write(
        `No saved progress in ${storeInWords(settings)}: everyone will be treated as not yet invited.\n`,
      )
    endedBy = await sendInvitations(readPeople(list.open()), {
      ...printing(progress, options, parts.stdout),
      ledger: createLedger({
        people,
        policy: policyOf(options),
        isHeld: async () => (await hold?.isHeld()) ?? false,
        now,
        signal,
      }),
      ask,
      isAbout: (instance) => inScope({ only: options.datasource ?? [] }, instance),
      compose: mailFor(settings, company, { ...options, now }).compose,
      post: server?.post,
      mailPace: paceOf(options.mailRate),
      atOnce: options.atOnce,
      limit: options.limit ?? Infinity,
      tally,
      onOver: () => list.close(),
      signal,
    })
  } catch (error) {
    failure = error
    throw error
  } finally {
    progress.end()
    server?.close()
    await clientApi.close()
    sumUp(tally, options, { error: failure, endedBy, isInterrupted: signal.aborted }, parts)
  }
  if (signal.aborted) return EXIT_INTERRUPTED
  refuseEmpty(tally.rows)
  return isComplete(tally) ? 0 : EXIT_PARTLY
}

const HOUR_MS = 3_600_000

export const policyOf = (options: SendOptions): Policy => ({
  campaign: options.campaign,
  remindAfterMs: options.remindAfter === undefined ? undefined : options.remindAfter * 24 * HOUR_MS,
  maxReminders: options.maxReminders,
  retryUnknown: options.retryUnknown ?? false,
  retryFailed: options.retryFailed ?? false,
  minGapMs: options.minGap * HOUR_MS,
  freshMs: options.askAgainAfter * 60_000,
})
