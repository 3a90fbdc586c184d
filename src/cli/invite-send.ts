// onramp invite send: the arguments and the settings, made into one run over the list.
import { createClientApi } from '../client-api/client.ts'
import type { Arrivals } from '../invites/arrivals.ts'
import { createAsk } from '../invites/ask.ts'
import { createLater } from '../invites/later.ts'
import { createLedger } from '../invites/ledger.ts'
import { createMailServer } from '../invites/mail-server.ts'
import { createPace } from '../invites/pace.ts'
import { readPeople } from '../invites/people-file.ts'
import { sendInvitations, type SendParts } from '../invites/send.ts'
import { isComplete, newTally, summaryOf } from '../invites/tally.ts'
import { inScope } from '../onboarding/walk.ts'
import { printable } from '../printable.ts'
import type { Records } from '../records/records.ts'
import { untilReachable } from '../records/until-reachable.ts'
import type { Settings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { isConfirmed } from './invite-confirm.ts'
import { explained, EXIT_LOCKED, EXIT_PARTLY, EXIT_STOPPED } from './invite-endings.ts'
import { holdCampaign, type Hold } from './invite-lease.ts'
import { listOf, peopleIn, type List } from './invite-list.ts'
import { showProgress } from './invite-progress.ts'
import { readSendOptions, type SendOptions } from './invite-send-options.ts'
import { arrivalsIn, mailFor, settingsWith } from './invite-set-up.ts'
import type { CliParts, Run } from './parts.ts'
import { EXIT_INTERRUPTED, stopOnSignals } from './signals.ts'

export const run: Run = async (args, parts) => {
  const options = readSendOptions(args)
  const list = listOf(options.file, parts.stdin)
  const toMail = options.isDryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
  const settings = settingsWith(['SERVICE_GLOBAL_TOKEN', ...toMail], parts.env)
  return await explained(parts, 'invite send', () => send(list, { settings, options, parts }))
}

type Asked = { settings: Settings; options: SendOptions; parts: CliParts }

async function send(list: List, asked: Asked): Promise<number> {
  const { settings, options, parts } = asked
  const people = list.size === undefined ? undefined : await peopleIn(list, options.onInvalid, parts.stderr)
  if (people === 'faulty') return EXIT_STOPPED
  if (!options.isDryRun && !options.isSure && !(await isConfirmed(people, settings, parts)))
    return EXIT_STOPPED
  const store = openStore(settings, createLog('silent'))
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  let hold: Hold | undefined
  try {
    await untilReachable(store.records)
    hold = options.isDryRun ? undefined : await holdCampaign(store.records, options.campaign)
    if (hold === undefined && !options.isDryRun) {
      const name = JSON.stringify(options.campaign)
      parts.stderr.write(`onramp invite send: another run of the campaign ${name} is under way\n`)
      return EXIT_LOCKED
    }
    return await sendAll(list, { ...asked, records: store.records, hold, signal: stop.signal })
  } finally {
    restore()
    await hold?.release()
    await store.close()
  }
}

type Running = Asked & { records: Records; hold: Hold | undefined; signal: AbortSignal }

async function sendAll(list: List, running: Running): Promise<number> {
  const { settings, options, parts, records, signal } = running
  const { now, stdout, stderr } = parts
  const arrivals = arrivalsIn(records, settings, now)
  const clientApi = createClientApi({ baseUrl: settings.SERVICE_BASE_URL })
  const server =
    options.isDryRun || settings.SMTP_URL === undefined
      ? undefined
      : createMailServer(settings.SMTP_URL, options.atOnce)
  const tally = newTally()
  const progress = showProgress({ tally, size: list.size, stderr, now })
  const token = settings.SERVICE_GLOBAL_TOKEN ?? ''
  const whatIsLeft = (actAs: string) => clientApi.whatIsLeft({ kind: 'global-token', token, actAs })
  try {
    if (server !== undefined) await arrivals.reseal()
    await sendInvitations(progress.watch(readPeople(list.open())), {
      ...decisions(running, arrivals),
      ask: createAsk({ whatIsLeft, pace: createPace({ perSecond: options.rate, now, signal }), signal }),
      ...(server === undefined ? {} : { post: (mail) => server.post(mail) }),
      onFault: (line, fault) => progress.say(`line ${line}: ${fault}`, options.onInvalid === 'stop'),
      onWouldSend: ({ email }, wave, apps) =>
        stdout.write(options.isJson ? '' : wouldSend(email, wave, apps)),
      tally,
    })
  } finally {
    progress.end()
    server?.close()
    await clientApi.close()
    if (options.isJson) stdout.write(`${JSON.stringify({ campaign: options.campaign, ...tally })}\n`)
    else stderr.write(summaryOf(tally))
  }
  if (signal.aborted) return EXIT_INTERRUPTED
  return isComplete(tally) ? 0 : EXIT_PARTLY
}

type Decisions = Omit<SendParts, 'ask' | 'post' | 'onFault' | 'onWouldSend' | 'tally'>

const decisions = (running: Running, arrivals: Arrivals): Decisions => {
  const { settings, options, parts, hold, signal } = running
  const { now } = parts
  const { policy, datasources, atOnce, limit } = options
  return {
    ledger: createLedger({ arrivals, policy, now, signal }),
    compose: mailFor(settings, options, now),
    mailPace: createPace({ perSecond: options.mailRate, now, signal }),
    policy,
    isAbout: (instance) => inScope({ only: datasources }, instance),
    later: createLater(now),
    isHeld: async () => (await hold?.isHeld()) ?? false,
    atOnce,
    limit,
    signal,
    now,
  }
}

const wouldSend = (email: string, wave: number, apps: string[]) =>
  `${email}  ${wave === 0 ? 'invitation' : `reminder ${wave}`}  ${printable(apps.join(', '))}\n`
