// onramp invite send: the arguments and the settings, made into one run over the list.
import { fileURLToPath } from 'node:url'
import { createClientApi } from '../client-api/client.ts'
import { createArrivals, UnreadableArrivals } from '../invites/arrivals.ts'
import { createAsk, ServiceUnusable } from '../invites/ask.ts'
import { UnreadableCsv } from '../invites/csv.ts'
import { createMail } from '../invites/mail.ts'
import { createMailServer, MailServerUnusable } from '../invites/mail-server.ts'
import { createMailTemplates, FaultyTemplate, OUR_MAIL } from '../invites/mail-templates.ts'
import { createPace } from '../invites/pace.ts'
import { readPeople, UnreadablePeople } from '../invites/people-file.ts'
import { RunStopped, sendInvitations, type SendParts } from '../invites/send.ts'
import { isComplete, newTally, summaryOf } from '../invites/tally.ts'
import { createInvitations } from '../invites/token.ts'
import { printable } from '../printable.ts'
import type { Lease } from '../records/lease.ts'
import { StoreUnavailable } from '../records/records.ts'
import { untilReachable } from '../records/until-reachable.ts'
import { createSealer } from '../session/seal.ts'
import { loadSettings, settings as definitions, SettingsError, type Settings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { leaseOf } from './invite-lease.ts'
import { isValid, listOf, type List } from './invite-list.ts'
import { showProgress } from './invite-progress.ts'
import { readSendOptions, type SendOptions } from './invite-send-options.ts'
import type { CliParts, Run } from './parts.ts'
import { EXIT_INTERRUPTED, stopOnSignals } from './signals.ts'

const VIEWS = fileURLToPath(new URL('../../views', import.meta.url))
const EXIT_STOPPED = 1
const EXIT_PARTLY = 3
const EXIT_LOCKED = 4

/** Expected, and explained by its message. */
const EXPLAINED = [
  RunStopped,
  ServiceUnusable,
  MailServerUnusable,
  UnreadablePeople,
  UnreadableCsv,
  FaultyTemplate,
  UnreadableArrivals,
]

export const run: Run = async (args, parts) => {
  const options = readSendOptions(args)
  const list = listOf(options.file, parts.stdin)
  const settings = settingsFor(options, parts.env)
  return await explained(parts, () => send(list, { settings, options, parts }))
}

/** What the server can do without, and a run cannot. @throws {SettingsError} */
function settingsFor({ isDryRun }: SendOptions, env: CliParts['env']): Settings {
  const settings = loadSettings(env)
  const needed = ['SERVICE_GLOBAL_TOKEN', ...(isDryRun ? [] : ['SMTP_URL', 'MAIL_FROM'])]
  const missing = definitions.filter(
    ({ name }) => needed.includes(name) && settings[name as keyof Settings] === undefined,
  )
  if (missing.length > 0)
    throw new SettingsError(missing.map(({ name, meaning }) => `${name} is required for this: ${meaning}`))
  return settings
}

async function explained({ stderr }: CliParts, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED
    const isStore = error instanceof StoreUnavailable
    if (!isStore && !EXPLAINED.some((kind) => error instanceof kind)) throw error
    const message = isStore ? error.detail : error instanceof Error ? error.message : ''
    const hint = error instanceof ServiceUnusable ? ' (SERVICE_GLOBAL_TOKEN, SERVICE_BASE_URL)' : ''
    stderr.write(
      `onramp invite send: ${printable(message)}${hint}\nStarted again, it goes on where it ended.\n`,
    )
    return EXIT_STOPPED
  }
}

type Asked = { settings: Settings; options: SendOptions; parts: CliParts }

async function send(list: List, { settings, options, parts }: Asked): Promise<number> {
  if (options.onInvalid === 'stop' && list.size !== undefined && !(await isValid(list, parts.stderr)))
    return EXIT_STOPPED
  const store = openStore(settings, createLog('silent'))
  const clientApi = createClientApi({ baseUrl: settings.SERVICE_BASE_URL })
  const stop = new AbortController()
  const restore = stopOnSignals(stop)
  let lease: Lease | undefined
  try {
    await untilReachable(store.records)
    lease = options.isDryRun ? undefined : await leaseOf(store.records, options.campaign)
    if (lease === undefined && !options.isDryRun) {
      parts.stderr.write(
        `onramp invite send: another run of the campaign "${options.campaign}" is under way\n`,
      )
      return EXIT_LOCKED
    }
    const whatIsLeft = (actAs: string) =>
      clientApi.whatIsLeft({ kind: 'global-token', token: settings.SERVICE_GLOBAL_TOKEN ?? '', actAs })
    const sealer = createSealer(settings.INVITE_SECRET ?? settings.SESSION_SECRET)
    const arrivals = createArrivals(store.records, sealer, parts.now)
    return await sendAll(list, {
      settings,
      options,
      parts,
      arrivals,
      whatIsLeft,
      lease,
      signal: stop.signal,
    })
  } finally {
    restore()
    await lease?.release()
    await clientApi.close()
    await store.close()
  }
}

type RunParts = Asked & {
  arrivals: SendParts['arrivals']
  whatIsLeft: Parameters<typeof createAsk>[0]['whatIsLeft']
  lease: Lease | undefined
  signal: AbortSignal
}

async function sendAll(list: List, run: RunParts): Promise<number> {
  const { settings, options, parts, arrivals, whatIsLeft, lease, signal } = run
  const { now, stdout, stderr } = parts
  const pace = createPace({ perSecond: options.rate, now, signal })
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const tally = newTally()
  const server =
    options.isDryRun || settings.SMTP_URL === undefined
      ? undefined
      : createMailServer(settings.SMTP_URL, options.atOnce)
  const progress = showProgress({ tally, size: list.size, stderr, now })
  const campaign = { campaign: options.campaign, datasources: options.datasources, days: options.days }
  try {
    await sendInvitations(progress.watch(readPeople(list.open())), {
      arrivals,
      ask: createAsk({ whatIsLeft, pace, signal }),
      compose: createMail({
        ...campaign,
        invitations: createInvitations({ secrets, audience: settings.PUBLIC_URL, now }),
        render:
          options.template === undefined
            ? createMailTemplates(VIEWS, OUR_MAIL)
            : createMailTemplates(options.template),
        from: settings.MAIL_FROM ?? { name: '', address: 'nobody@localhost' },
        publicUrl: settings.PUBLIC_URL,
      }),
      ...(server === undefined ? {} : { post: (mail) => server.post(mail) }),
      mailPace: createPace({ perSecond: options.mailRate, now, signal }),
      policy: options.policy,
      isHeld: () => lease?.isHeld() ?? false,
      onFault: (line, fault) => progress.say(`line ${line}: ${fault}`, options.onInvalid === 'stop'),
      onWouldSend: ({ email }, wave, apps) =>
        stdout.write(options.isJson ? '' : wouldSend(email, wave, apps)),
      atOnce: options.atOnce,
      limit: options.limit,
      signal,
      tally,
      now,
    })
  } finally {
    progress.end()
    server?.close()
    if (options.isJson) stdout.write(`${JSON.stringify({ campaign: options.campaign, ...tally })}\n`)
    else stderr.write(summaryOf(tally))
  }
  if (signal.aborted) return EXIT_INTERRUPTED
  return isComplete(tally) ? 0 : EXIT_PARTLY
}

const wouldSend = (email: string, wave: number, apps: string[]) =>
  `${email}  ${wave === 0 ? 'invitation' : `reminder ${wave}`}  ${printable(apps.join(', '))}\n`
