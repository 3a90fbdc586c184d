// onramp invite send: the arguments and the settings, made into one run over the list.
import { createReadStream, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createClientApi } from '../client-api/client.ts'
import { createArrivals, UnreadableArrivals } from '../invites/arrivals.ts'
import { createAsk, ServiceUnusable } from '../invites/ask.ts'
import { UnreadableCsv } from '../invites/csv.ts'
import { createMail } from '../invites/mail.ts'
import { createMailServer, MailServerUnusable } from '../invites/mail-server.ts'
import { createMailTemplates, FaultyTemplate, OUR_MAIL } from '../invites/mail-templates.ts'
import { createPace } from '../invites/pace.ts'
import { readPeople, UnreadablePeople, type Row } from '../invites/people-file.ts'
import { RunStopped, sendInvitations, type SendParts } from '../invites/send.ts'
import { isComplete, newTally, summaryOf } from '../invites/tally.ts'
import { createInvitations } from '../invites/token.ts'
import { printable } from '../printable.ts'
import { takeLease, type Lease } from '../records/lease.ts'
import { StoreUnavailable } from '../records/records.ts'
import { untilReachable } from '../records/until-reachable.ts'
import { createSealer } from '../session/seal.ts'
import type { Settings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { readSendOptions, sendHelp, type SendOptions } from './invite-send-options.ts'
import type { CliParts, Run } from './parts.ts'
import { showProgress } from './invite-progress.ts'
import { runCommand, UsageError } from './usage.ts'

const VIEWS = fileURLToPath(new URL('../../views', import.meta.url))
const EXIT_STOPPED = 1
const EXIT_PARTLY = 3
const EXIT_LOCKED = 4
const EXIT_INTERRUPTED = 130
/** The lease of a run that was killed lasts so long (records/lease.ts). */
const LEASE_WAIT_MS = 4_500

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

type Source = { size: number | undefined; open: () => AsyncIterable<Uint8Array | string> }

export const run: Run = (args: string[], parts: CliParts) =>
  runCommand({ name: 'invite send', help: sendHelp, args }, parts, () => {
    const options = readSendOptions(args)
    return async (settings) => {
      const needed = options.isDryRun ? [] : (['SMTP_URL', 'MAIL_FROM'] as const)
      for (const name of ['SERVICE_GLOBAL_TOKEN', ...needed] as const)
        if (settings[name] === undefined) throw new UsageError(`${name} is needed for this: see the README`)
      return await explained(parts, () => send(settings, options, parts))
    }
  })

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

async function send(settings: Settings, options: SendOptions, parts: CliParts): Promise<number> {
  const source = sourceOf(options.file, parts)
  if (options.onInvalid === 'stop' && source.size !== undefined && !(await isValid(source, parts)))
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
    return await sendAll(source, {
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

type RunParts = {
  settings: Settings
  options: SendOptions
  parts: CliParts
  arrivals: SendParts['arrivals']
  whatIsLeft: Parameters<typeof createAsk>[0]['whatIsLeft']
  lease: Lease | undefined
  signal: AbortSignal
}

async function sendAll(source: Source, run: RunParts): Promise<number> {
  const { settings, options, parts, arrivals, whatIsLeft, lease, signal } = run
  const { now, stdout, stderr } = parts
  const pace = createPace({ perSecond: options.rate, now, signal })
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const tally = newTally()
  const server =
    options.isDryRun || settings.SMTP_URL === undefined
      ? undefined
      : createMailServer(settings.SMTP_URL, options.atOnce)
  const progress = showProgress({ tally, size: source.size, stderr, now })
  const campaign = { campaign: options.campaign, datasources: options.datasources, days: options.days }
  try {
    await sendInvitations(progress.watch(readPeople(source.open())), {
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

function sourceOf(file: string, { stdin }: CliParts): Source {
  if (file === '-') return { size: undefined, open: () => stdin as AsyncIterable<Uint8Array | string> }
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true) throw new UsageError(`there is no file ${JSON.stringify(file)}`)
  return { size: found.size, open: () => bytesOf(file) }
}

/** Opened when the first byte is wanted, not before: a run may end ahead of it. */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>
}

/** Before anything leaves, the whole list is read once: a faulty row near its end stops nothing halfway. */
async function isValid(source: Source, { stderr }: CliParts): Promise<boolean> {
  const faults: Row[] = []
  for await (const row of readPeople(source.open()))
    if (row.kind === 'fault') {
      stderr.write(`line ${row.line}: ${row.fault}\n`)
      if (faults.push(row) >= 100) break
    }
  if (faults.length === 0) return true
  stderr.write(
    'onramp invite send: mend these lines, or leave them out with --on-invalid skip; nothing was sent\n',
  )
  return false
}

async function leaseOf(
  records: Parameters<typeof takeLease>[0],
  campaign: string,
): Promise<Lease | undefined> {
  const until = Date.now() + LEASE_WAIT_MS
  for (;;) {
    const lease = await takeLease(records, `campaign:${campaign}`)
    if (lease !== undefined || Date.now() > until) return lease
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The first signal lets what is under way end; the second one ends at once. */
function stopOnSignals(stop: AbortController): () => void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED)
    stop.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}
