// onramp invite send: the arguments and the settings, made into one run over the list.
import { createClientApi } from '../../client-api/client.ts'
import { ServiceProblem } from '../../client-api/errors.ts'
import { createAsk } from '../../campaigns/ask.ts'
import { createLater } from '../../campaigns/delivery.ts'
import { createLedger } from '../../campaigns/ledger.ts'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { createPace } from '../../campaigns/pace.ts'
import { readPeople } from '../../campaigns/people-file.ts'
import { sendInvitations, type EndedBy } from '../../campaigns/send.ts'
import { isComplete, newTally } from '../../campaigns/tally.ts'
import { inScope } from '../../onboarding/walk.ts'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { isConfirmed } from './confirm.ts'
import { explained, EXIT_LOCKED, EXIT_PARTLY, EXIT_STOPPED } from './endings.ts'
import { holdCampaign, type Hold } from './lease.ts'
import { emptyList, listOf, peopleIn, type List } from './list.ts'
import { openMetricsFile, type MetricsFile } from './metrics-file.ts'
import { showProgress } from './progress.ts'
import { sendOptionsOf, type SendOptions, type SendValues } from './send-options.ts'
import { paused, SLOW, sumUp, told } from './send-words.ts'
import { openPeople, mailFor, senderOf, settingsWith, storeInWords, withStore, type Sender } from './setup.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { EXIT_INTERRUPTED, stopOnSignals } from '../signals.ts'

export async function run(file: string, values: SendValues, parts: CliParts): Promise<number> {
  const options = sendOptionsOf(file, values)
  const list = listOf(options.file, parts.stdin)
  const toMail = options.isDryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const settings = settingsWith(['SERVICE_GLOBAL_TOKEN', ...toMail], parts.env)
  const sender = senderOf(settings)
  const name = options.isDryRun ? 'invite send --dry-run' : 'invite send'
  return await explained(parts, name, () => send(list, { settings, sender, options, parts }))
}

type Asked = { settings: Settings; sender: Sender; options: SendOptions; parts: CliParts }

async function send(list: List, asked: Asked): Promise<number> {
  const { settings, options, parts } = asked
  const people = list.isFile ? await peopleIn(list, options.onInvalid, parts.stderr) : undefined
  if (people === 'unusable') return EXIT_STOPPED
  const emails = people === undefined ? undefined : Math.min(people, options.limit)
  const isSure = options.isDryRun || options.isSure || (await isConfirmed(emails, settings, parts))
  if (!isSure) return EXIT_STOPPED
  const metrics = await openMetricsFile(options.metrics)
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  stop.signal.addEventListener('abort', () => list.close(), { once: true })
  try {
    const work = (records: Records) => held(list, { ...asked, people, records, metrics, signal: stop.signal })
    return await withStore(settings, work, { onOperation: metrics.observeStore })
  } catch (error) {
    // Ending the run was asked for, so the store is not the reason.
    if (stop.signal.aborted && error instanceof StoreUnavailable) return EXIT_INTERRUPTED
    throw error
  } finally {
    await metrics.end()
    restore()
    list.close()
  }
}

type Running = Asked & {
  people: number | undefined
  records: Records
  metrics: MetricsFile
  signal: AbortSignal
}

/** Sends while this run holds the campaign. A dry run holds nothing. */
async function held(list: List, running: Running): Promise<number> {
  const { options, parts, records } = running
  if (options.isDryRun) return await sendAll(list, running)
  const hold = await holdCampaign(records, options.campaign, parts.stderr)
  if (hold === undefined) {
    const name = JSON.stringify(options.campaign)
    parts.stderr.write(`onramp invite send: campaign ${name} is already running\n`)
    return EXIT_LOCKED
  }
  return await sendAll(list, running, hold).finally(() => hold.release())
}

/** A pause of the service that is worth a line. */
const LEAST_PAUSE_MS = 60_000

/** A clock that is never set back. */
const steady = () => performance.now()

async function sendAll(list: List, running: Running, hold?: Hold): Promise<number> {
  const { settings, sender, options, parts, people, records, metrics, signal } = running
  const { now, stderr } = parts
  const { policy, datasources, atOnce } = options
  const everyone = openPeople({ records, settings, now }, sender.company)
  const clientApi = createClientApi({
    baseUrl: settings.SERVICE_BASE_URL,
    headerPrefix: settings.SERVICE_HEADER_PREFIX,
    onCall: metrics.observeService,
  })
  let isSlow = false
  const server =
    hold &&
    createMailServer(settings.SMTP_URL ?? '', {
      connections: atOnce,
      signal,
      onEmail: metrics.observeEmail,
      onSlow() {
        if (!isSlow) progress.print(SLOW)
        isSlow = true
      },
    })
  const tally = newTally()
  const progress = showProgress({ tally, people, stderr, now })
  const token = settings.SERVICE_GLOBAL_TOKEN ?? ''
  // As on the pages: an app that the company hides is neither named nor counted, here or in the report.
  const whatIsLeft = async (actAs: string) =>
    sender.company.arrange(
      await clientApi.whatIsLeft({ kind: 'global-token', token, actAs, setting: 'SERVICE_GLOBAL_TOKEN' }),
    )
  const isThere = () =>
    clientApi.whatIsLeft({ kind: 'oauth', accessToken: 'onramp-made-up-token', externalIdp: false }).then(
      () => true,
      (error: unknown) =>
        !(error instanceof ServiceProblem) ||
        error.isOfEveryone === true ||
        !(error.isOfFront === true || [400, 404, 422].includes(error.answered ?? 0)),
    )
  let pausedUntil = 0
  const onPause = (seconds: number) => {
    const from = now()
    const until = from + seconds * 1_000
    // Everyone who is asked about at the same moment is told the same.
    if (until >= Math.max(pausedUntil, from) + LEAST_PAUSE_MS) progress.print(paused(seconds))
    pausedUntil = Math.max(pausedUntil, until)
  }
  const paceOf = (perSecond: number) => createPace({ perSecond, now: steady, signal })
  let stopped: unknown
  let endedBy: EndedBy | undefined
  try {
    await server?.check()
    if (server !== undefined && !(await everyone.reseal()))
      stderr.write(
        `No saved progress in ${storeInWords(settings)}: everyone will be treated as not yet invited.\n`,
      )
    endedBy = await sendInvitations(readPeople(list.open()), {
      ...told(running, progress),
      ...createAsk({ whatIsLeft, isThere, pace: paceOf(options.rate), onPause, signal }),
      ledger: createLedger({ people: everyone, policy, now, signal }),
      compose: mailFor({ settings, sender, now }, options),
      post: server?.post,
      mailPace: paceOf(options.mailRate),
      later: createLater(now),
      isHeld: async () => (await hold?.isHeld()) ?? false,
      isAbout: (instance) => inScope({ only: datasources }, instance),
      onOver: () => list.close(),
      policy,
      atOnce,
      limit: options.limit,
      stopAfter: options.stopAfter,
      tally,
      signal,
      now,
    })
  } catch (error) {
    stopped = error
    throw error
  } finally {
    progress.end()
    server?.close()
    await clientApi.close()
    sumUp(running, { tally, stopped, endedBy })
  }
  if (signal.aborted) return EXIT_INTERRUPTED
  if (tally.rows === 0) {
    emptyList(stderr)
    return EXIT_STOPPED
  }
  return isComplete(tally) ? 0 : EXIT_PARTLY
}
