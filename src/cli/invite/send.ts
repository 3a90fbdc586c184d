// onramp invite send: the arguments and the settings, made into one run over the list.
import { createClientApi } from '../../client-api/client.ts'
import { createAsk } from '../../campaigns/ask.ts'
import { createLedger } from '../../campaigns/ledger.ts'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { createPace } from '../../campaigns/pace.ts'
import { readPeople } from '../../campaigns/people-file.ts'
import { sendInvitations, type EndedBy } from '../../campaigns/send.ts'
import { isComplete, newTally } from '../../campaigns/tally.ts'
import { inScope } from '../../onboarding/walk.ts'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { isAtTerminal, isConfirmed } from '../confirm.ts'
import { explained, EXIT_LOCKED, EXIT_PARTLY, EXIT_STOPPED } from './endings.ts'
import { holdCampaign, type Hold } from './lease.ts'
import { emptyList, listOf, peopleIn, type List } from './list.ts'
import { openMetricsFile, type MetricsFile } from './metrics-file.ts'
import { showProgress } from './progress.ts'
import { policyOf, type SendOptions } from './send-options.ts'
import { printing, SLOW, sumUp } from './send-words.ts'
import { mailFor, openPeople, senderOf, settingsWith, storeInWords, withStore, type Sender } from './setup.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { EXIT_INTERRUPTED, stopOnSignals } from '../signals.ts'

export async function run(file: string, options: SendOptions, parts: CliParts): Promise<number> {
  const list = listOf(file, parts.stdin)
  const toMail = options.dryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const settings = settingsWith(['SERVICE_GLOBAL_TOKEN', ...toMail], parts.env)
  const sender = senderOf(settings)
  const name = options.dryRun ? 'invite send --dry-run' : 'invite send'
  return await explained(parts, name, () => start(list, { settings, sender, options, parts }))
}

/** What the command was given. */
type Given = { settings: Settings; sender: Sender; options: SendOptions; parts: CliParts }

async function start(list: List, given: Given): Promise<number> {
  const { settings, options, parts } = given
  const people = list.isFile ? await peopleIn(list, options.onInvalid, parts.stderr) : undefined
  if (people === 'unusable') return EXIT_STOPPED
  if (people !== undefined && !(await isAgreed(Math.min(people, options.limit ?? Infinity), given)))
    return EXIT_STOPPED
  const metrics = await openMetricsFile(options.metrics)
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  const { signal } = stop
  signal.addEventListener('abort', () => list.close(), { once: true })
  try {
    const work = (records: Records) => sendAlone(list, { ...given, people, records, metrics, signal })
    return await withStore(settings, work, { onOperation: metrics.observeStore })
  } catch (error) {
    // Ending the run was asked for, so the store is not the reason.
    if (signal.aborted && error instanceof StoreUnavailable) return EXIT_INTERRUPTED
    throw error
  } finally {
    await metrics.end()
    restore()
    list.close()
  }
}

/** Before emails go out from a terminal, a person confirms. A script is not asked, because it cannot answer. */
async function isAgreed(emails: number, { settings, options, parts }: Given): Promise<boolean> {
  if (options.dryRun || options.yes || !isAtTerminal(parts)) return true
  const { MAIL_FROM, SMTP_URL = '' } = settings
  const through = `through ${new URL(SMTP_URL).host} from ${MAIL_FROM?.address ?? ''}`
  parts.stderr.write(`Up to ${emails.toLocaleString('en')} emails will be sent ${through}.\n`)
  const isYes = await isConfirmed('Send these emails? (Use --dry-run to preview.)')
  if (!isYes) parts.stderr.write('Nothing was sent.\n')
  return isYes
}

type Running = Given & {
  people: number | undefined
  records: Records
  metrics: MetricsFile
  signal: AbortSignal
}

/** Sends while this run holds the campaign. A dry run holds nothing. */
async function sendAlone(list: List, running: Running): Promise<number> {
  const { options, parts, records } = running
  if (options.dryRun) return await sendAll(list, running)
  const hold = await holdCampaign(records, options.campaign, parts.stderr)
  if (hold === undefined) {
    const name = JSON.stringify(options.campaign)
    parts.stderr.write(`onramp invite send: campaign ${name} is already running\n`)
    return EXIT_LOCKED
  }
  return await sendAll(list, running, hold).finally(() => hold.release())
}

/** A pause of the service that is worth a line. */
const MIN_PAUSE_SECONDS = 60

/** A clock that is never set back. */
const steady = () => performance.now()

/** @param hold absent: a dry run */
async function sendAll(list: List, running: Running, hold?: Hold): Promise<number> {
  const { settings, sender, options, parts, records, metrics, signal } = running
  const { now, stderr } = parts
  const people = openPeople({ records, settings, now }, sender.company)
  const tally = newTally()
  const progress = showProgress({ tally, people: running.people, stderr, now })
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
      sender.company.arrange(
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
  let stopped: unknown
  let endedBy: EndedBy | undefined
  try {
    await server?.check()
    if (hold !== undefined && (await people.all().next()).done === true)
      stderr.write(
        `No saved progress in ${storeInWords(settings)}: everyone will be treated as not yet invited.\n`,
      )
    endedBy = await sendInvitations(readPeople(list.open()), {
      ...printing(options, progress, parts.stdout),
      ledger: createLedger({
        people,
        policy: policyOf(options),
        isHeld: async () => (await hold?.isHeld()) ?? false,
        now,
        signal,
      }),
      ask,
      isAbout: (instance) => inScope({ only: options.datasource ?? [] }, instance),
      compose: mailFor({ settings, sender, now }, options),
      post: server?.post,
      mailPace: paceOf(options.mailRate),
      atOnce: options.atOnce,
      limit: options.limit ?? Infinity,
      tally,
      onOver: () => list.close(),
      signal,
    })
  } catch (error) {
    stopped = error
    throw error
  } finally {
    progress.end()
    server?.close()
    await clientApi.close()
    sumUp(options, parts, { tally, stopped, endedBy, isInterrupted: signal.aborted })
  }
  if (signal.aborted) return EXIT_INTERRUPTED
  if (tally.rows === 0) {
    emptyList(stderr)
    return EXIT_STOPPED
  }
  return isComplete(tally) ? 0 : EXIT_PARTLY
}
