// onramp invite send: the arguments and the settings, made into one run over the list.
import { createClientApi } from '../../client-api/client.ts'
import type { Arrivals } from '../../arrivals/arrivals.ts'
import { createAsk } from '../../campaigns/ask.ts'
import { createLater } from '../../campaigns/later.ts'
import { createLedger } from '../../campaigns/ledger.ts'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { createPace } from '../../campaigns/pace.ts'
import { readPeople } from '../../campaigns/people-file.ts'
import { sendInvitations, type EndedBy, type SendParts } from '../../campaigns/send.ts'
import { isComplete, newTally } from '../../campaigns/tally.ts'
import { inScope } from '../../onboarding/walk.ts'
import { present } from '../../present.ts'
import type { Records } from '../../records/records.ts'
import { untilReachable } from '../../records/until-reachable.ts'
import type { Settings } from '../../settings/settings.ts'
import { openStore } from '../../records/store.ts'
import { createLog } from '../../web/log.ts'
import { isConfirmed } from './confirm.ts'
import { explained, EXIT_LOCKED, EXIT_PARTLY, EXIT_STOPPED } from './endings.ts'
import { holdCampaign, type Hold } from './lease.ts'
import { listOf, nobodyOn, peopleIn, type List } from './list.ts'
import { showProgress } from './progress.ts'
import { readSendOptions, type SendOptions } from './send-options.ts'
import { sumUp, told, type Told } from './send-words.ts'
import { arrivalsIn, mailFor, settingsWith, storeOf } from './set-up.ts'
import type { CliParts, Run } from '@onramp/deprecations/command-line/parts'
import { EXIT_INTERRUPTED, stopOnSignals } from '../signals.ts'

export const run: Run = async (args, parts) => {
  const options = readSendOptions(args)
  const list = listOf(options.file, parts.stdin)
  const toMail = options.isDryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const settings = settingsWith(['SERVICE_GLOBAL_TOKEN', ...toMail], parts.env)
  const name = options.isDryRun ? 'invite send --dry-run' : 'invite send'
  return await explained(parts, name, () => send(list, { settings, options, parts }))
}

/** A clock that is never set back. */
const steady = () => performance.now()

type Asked = { settings: Settings; options: SendOptions; parts: CliParts }

async function send(list: List, asked: Asked): Promise<number> {
  const { settings, options, parts } = asked
  const people = list.isFile ? await peopleIn(list, options.onInvalid, parts.stderr) : undefined
  if (people === 'unusable') return EXIT_STOPPED
  const most = people === undefined ? undefined : Math.min(people, options.limit)
  const isSure = options.isDryRun || options.isSure || (await isConfirmed(most, settings, parts))
  if (!isSure) return EXIT_STOPPED
  const store = openStore(settings, createLog('silent'))
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  stop.signal.addEventListener('abort', () => list.close(), { once: true })
  let hold: Hold | undefined
  try {
    await untilReachable(store.records)
    hold = options.isDryRun ? undefined : await holdCampaign(store.records, options.campaign, parts.stderr)
    if (hold === undefined && !options.isDryRun) {
      const name = JSON.stringify(options.campaign)
      parts.stderr.write(`onramp invite send: another run of the campaign ${name} is under way\n`)
      return EXIT_LOCKED
    }
    return await sendAll(list, { ...asked, people, records: store.records, hold, signal: stop.signal })
  } finally {
    restore()
    list.close()
    await hold?.release()
    await store.close()
  }
}

type Running = Asked & {
  people: number | undefined
  records: Records
  hold: Hold | undefined
  signal: AbortSignal
}

async function sendAll(list: List, running: Running): Promise<number> {
  const { settings, options, parts, people, records, signal } = running
  const { now, stderr } = parts
  const arrivals = arrivalsIn(records, settings, now)
  const clientApi = createClientApi({ baseUrl: settings.SERVICE_BASE_URL })
  const server =
    options.isDryRun || settings.SMTP_URL === undefined
      ? undefined
      : createMailServer(settings.SMTP_URL, options.atOnce)
  const tally = newTally()
  const progress = showProgress({ tally, people, stderr, now })
  const token = settings.SERVICE_GLOBAL_TOKEN ?? ''
  const whatIsLeft = (actAs: string) => clientApi.whatIsLeft({ kind: 'global-token', token, actAs })
  let stopped: unknown
  let endedBy: EndedBy | undefined
  try {
    await server?.check()
    if (server !== undefined && !(await arrivals.reseal()))
      stderr.write(`Nothing is written down yet (${storeOf(settings)}): no one counts as invited.\n`)
    endedBy = await sendInvitations(readPeople(list.open()), {
      ...decisions(running, arrivals),
      ...told(running, progress),
      ask: createAsk({
        whatIsLeft,
        pace: createPace({ perSecond: options.rate, now: steady, signal }),
        signal,
      }),
      ...present({ post: server?.post }),
      onOver: () => list.close(),
      tally,
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
    nobodyOn(stderr)
    return EXIT_STOPPED
  }
  return isComplete(tally) ? 0 : EXIT_PARTLY
}

const decisions = (
  running: Running,
  arrivals: Arrivals,
): Omit<SendParts, Told | 'ask' | 'post' | 'tally' | 'onOver'> => {
  const { settings, options, parts, hold, signal } = running
  const { now } = parts
  const { policy, datasources, atOnce, limit, stopAfter } = options
  return {
    ledger: createLedger({ arrivals, policy, now, signal }),
    compose: mailFor(settings, options, now),
    mailPace: createPace({ perSecond: options.mailRate, now: steady, signal }),
    policy,
    isAbout: (instance) => inScope({ only: datasources }, instance),
    later: createLater(now),
    isHeld: async () => (await hold?.isHeld()) ?? false,
    atOnce,
    limit,
    stopAfter,
    signal,
    now,
  }
}
