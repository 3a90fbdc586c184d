// onramp keep: the arguments and the settings, made into one run, and what it says at its end. Scheduled every hour, so most
// runs find little to do.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { massDisconnectNotice, digestNotice, isDigestDue } from '../admin/notices.ts'
import { summarizeAll } from '../admin/person-summary.ts'
import { createReport, type Report } from '../admin/report.ts'
import { createPersonCheck } from '../campaigns/person-check.ts'
import { ONBOARDING } from '../campaigns/campaign.ts'
import { LAPSES } from '../campaigns/lapses.ts'
import { RunStopped } from '../campaigns/ledger.ts'
import { keepUp, whatIsDue, unreachedZones } from '../campaigns/keep.ts'
import { createNoticeComposer, type Notice } from '../campaigns/mail/notice.ts'
import { createMailServer } from '../campaigns/mail/server.ts'
import { AT_ONCE, createThrottle, EMAILS_PER_SECOND } from '../campaigns/throttle.ts'
import type { Invitee, LeftOut } from '../campaigns/people-file.ts'
import { describeThrottling, limitOf, newTally, formatSummary, type Tally } from '../campaigns/tally.ts'
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { inScope } from '../onboarding/walk.ts'
import type { Records } from '../records/records.ts'
import {
  activeMassDisconnects,
  PERSON_STATES,
  type MassDisconnect,
  type DailyCounts,
  type KeepState,
} from '../people/keep-state.ts'
import { OperatorError } from '../problem.ts'
import type { Settings } from '../settings/settings.ts'
import { COMMAND } from '../version.ts'
import { massDisconnectEvent, sendEventOnce } from '../webhooks/sender.ts'
import { withCampaignLease } from './invite/lease.ts'
import { limitFaults, openList, readList } from './invite/list.ts'
import { loadCompanyOf, composerFor, NO_FROM, serviceFor, loadSettingsWith } from './invite/email.ts'
import { openPeople, openKeepState, withStore } from './store.ts'
import { interruptible } from './terminal.ts'

type KeepOptions = {
  dryRun?: true | undefined
  json?: true | undefined
  /** Milliseconds since 1970. */
  now?: number | undefined
  /** Questions a minute. */
  askRate: number
  /** Apps, or `all`. */
  release?: readonly string[] | undefined
  confirm?: true | undefined
  includeGuests?: true | undefined
}

const EXIT_NEEDS_SOMEONE = 3
const DAYS = 30

export async function keep(file: string, options: KeepOptions, parts: CommandContext): Promise<number> {
  const { stdin, stderr, env } = parts
  if (options.now !== undefined && !options.dryRun) throw new UsageError('--now requires --dry-run')
  const list = openList(file, stdin)
  const needed = options.dryRun ? [] : (['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'] as const)
  const settings = loadSettingsWith(needed, env)
  const company = loadCompanyOf(settings)
  const { people, faults, leftOut } = await readList(list, options.includeGuests, stderr)
  // An export that went wrong is often an empty file.
  if (people.length === 0) {
    for (const fault of limitFaults(faults)) stderr.write(`${fault}\n`)
    throw new OperatorError('the list has no one on it. Nothing was done.')
  }

  return await interruptible((signal) =>
    withStore(settings, async (records) => {
      const run = { list: people, faults, leftOut, settings, company, options, parts, signal }
      if (options.dryRun) return await show(records, run)
      const held = await withCampaignLease(records, stderr, async (isHeld) => {
        const service = serviceFor(settings, company)
        const server = createMailServer(settings, { signal })
        try {
          return await runOnce(records, run, isHeld, { service, server, postEvent: sendEventOnce })
        } finally {
          server.close()
          await service.close()
        }
      })
      if (held !== undefined) return held
      stderr.write('Another run is at work. Nothing was done.\n')
      // What was asked for by hand has to be asked for again.
      return options.release === undefined && !options.confirm ? 0 : EXIT_NEEDS_SOMEONE
    }),
  )
}

type Run = {
  list: readonly Invitee[]
  faults: readonly string[]
  leftOut: LeftOut
  settings: Settings
  company: Company
  options: KeepOptions
  parts: CommandContext
  signal: AbortSignal
}

/** What a run would send. */
async function show(records: Records, run: Run): Promise<number> {
  const { list, settings, company, options, parts } = run
  const people = openPeople({ records, settings, now: parts.now }, company)
  const now = () => options.now ?? parts.now()
  const keepState = released(await openKeepState(records, settings).load(), options.release, now())
  for (const fault of limitFaults(run.faults)) parts.stderr.write(`${fault}\n`)
  const counts = { people: list.length, invitation: 0, reminder: 0, lapse: 0 }
  const all = whatIsDue(list, { people, keepState, timezone: company.timezone, now })
  for await (const { invitee, start, lost } of all) {
    if (lost.length === 0 && start.kind !== 'mail') continue
    const kind = start.kind !== 'mail' ? 'lapse' : start.reminder === 0 ? 'invitation' : 'reminder'
    counts[kind]++
    const words = `${invitee.email}  ${kind}  ${lost.join(', ')}`.trimEnd()
    const json = { email: invitee.email, kind, apps: lost }
    parts.stdout.write(`${options.json ? JSON.stringify(json) : printable(words)}\n`)
  }
  if (options.json) parts.stdout.write(`${JSON.stringify({ ...counts, leftOut: run.leftOut })}\n`)
  else
    parts.stderr.write(
      `People on the list: ${list.length}. At that moment a run would send up to so many emails: invitations ${counts.invitation}, reminders ${counts.reminder}, about access that ended ${counts.lapse}. Emails leave on working days from 9 to 16 o'clock where people are, and not to people who have nothing left to connect.\n`,
    )
  return 0
}

/** What a run talks to. */
type Neighbors = {
  service: Pick<ReturnType<typeof serviceFor>, 'checkToken' | 'whatIsLeft'>
  server: Pick<ReturnType<typeof createMailServer>, 'check' | 'send'>
  postEvent: typeof sendEventOnce
}

/** @returns the exit code @throws what {@link keepUp} throws */
export async function runOnce(
  records: Records,
  run: Run,
  isHeld: () => Promise<boolean>,
  { service, server, postEvent }: Neighbors,
): Promise<number> {
  const { list, settings, company, options, signal } = run
  const { now, stderr } = run.parts
  const people = openPeople({ records, settings, now }, company)
  const keepStateStore = openKeepState(records, settings)
  const before = released(await keepStateStore.load(), options.release, now())
  const save = async (keepState: KeepState): Promise<void> => {
    if (!(await isHeld())) throw new RunStopped('another run took over')
    await keepStateStore.save(keepState)
  }
  const tally = { ...newTally(), rows: list.length }
  const paceOf = (perSecond: number) => createThrottle({ perSecond, now: () => performance.now(), signal })
  const emailThrottle = paceOf(EMAILS_PER_SECOND)
  const check = createPersonCheck({
    whatIsLeft: service.whatIsLeft,
    pace: paceOf(options.askRate / 60),
    signal,
  })
  const mails = (campaign: string) => composerFor(settings, company, { campaign, days: DAYS }, now)
  const starting = mails(ONBOARDING)
  // The first language that the company offers.
  const words = { ...company, t: starting.languages.in(''), publicUrl: settings.PUBLIC_URL }
  const compose = createNoticeComposer({ from: settings.MAIL_FROM ?? NO_FROM, company })
  const post = async (notice: Notice, id: string): Promise<boolean> => {
    const outcomes = []
    for (const admin of settings.ADMIN_EMAILS ?? [])
      outcomes.push((await server.send(compose(admin, notice, id))).outcome)
    return outcomes.includes('sent')
  }
  await server.check()
  await service.checkToken()
  if (stderr.isTTY) stderr.write(`Asking about ${list.length} people, ${options.askRate} a minute…\n`)
  const kept = await keepUp(list, {
    people,
    compose: { invitation: starting.compose, lapse: mails(LAPSES).compose },
    send: server.send,
    check,
    emailThrottle,
    tally,
    keepState: before,
    save,
    timezone: company.timezone,
    async notify(found) {
      const id = `break ${found.instance} ${found.noticedAt}`
      const report = await createReport(summarizeAll(people.all()), now())
      const notice = massDisconnectNotice(found, { ...words, ...namedBeside(company, report) })
      const isNotified = found.notifiedAt === undefined && (await post(notice, id))
      const isSent =
        found.eventAt === undefined &&
        (await postEvent(settings, massDisconnectEvent(found), now()))?.kind === 'taken'
      return { ...(isNotified && { notifiedAt: now() }), ...(isSent && { eventAt: now() }) }
    },
    atOnce: AT_ONCE,
    isConfirmed: options.confirm === true,
    isWhole: run.faults.length === 0,
    isHeld,
    now,
    signal,
  })
  const report = await createReport(summarizeAll(people.all()), now())
  const row = rowOf(report)
  const days = [...kept.days.filter(({ day }) => day !== row.day), row]
  const counted = { ...kept, lastRunAt: now(), days }
  const digest = digestNotice(report, counted, now(), words)
  const isSent = isDigestDue(counted, company, now()) && (await post(digest, `digest ${report.madeAt}`))
  await save(isSent ? { ...counted, digestAt: now() } : counted)
  const emailsPerMinute = limitOf(emailThrottle.rate())
  if (!options.json) stderr.write(describeThrottling(emailsPerMinute))
  const named = { ...run, company: { ...company, ...namedBeside(company, report) } }
  return sumUp(counted, report, Object.assign(tally, { emailsPerMinute }), named)
}

/** @throws {UsageError} where no emails about one of these apps are held */
function released(keepState: KeepState, apps: readonly string[] = [], now: number): KeepState {
  const held = activeMassDisconnects(keepState)
  const isOf = (app: string, { instance }: MassDisconnect) =>
    app === 'all' || inScope({ only: [app] }, instance)
  for (const app of apps)
    if (!held.some((one) => isOf(app, one)))
      throw new UsageError(`--release ${app}: no emails about this app are held back`)
  const isMeant = (one: MassDisconnect) => held.includes(one) && apps.some((app) => isOf(app, one))
  return {
    ...keepState,
    massDisconnects: keepState.massDisconnects.map((one) =>
      isMeant(one) ? { ...one, resumedAt: now } : one,
    ),
  }
}

/** Names that tell an app from the others. */
const namedBeside = ({ displayName }: Company, { datasources }: Report): Pick<Company, 'displayName'> => ({
  displayName: (app, lang) =>
    withUniqueNames([...datasources, app].map((one) => ({ ...one, name: displayName(one, lang) }))).at(-1)
      ?.name ?? app.name,
})

const rowOf = (report: Report): DailyCounts => {
  const { madeAt, people, gone } = report
  const counts = Object.fromEntries(PERSON_STATES.map((state) => [state, report[state]]))
  return {
    ...(counts as Pick<Report, (typeof PERSON_STATES)[number]>),
    day: madeAt.slice(0, 10),
    people,
    gone,
  }
}

/** What needs someone, and the command; none: all is well. */
function needsOf(keepState: KeepState, tally: Tally, { faults, company, parts }: Run): string[] {
  const { unreadable, uncertain, failed, refused } = tally
  const named = ({ instance, name }: MassDisconnect) => printable(company.displayName({ instance, name }, ''))
  const zones = unreachedZones(keepState, parts.now()).join(', ')
  const held = activeMassDisconnects(keepState)
  const release = held.map(({ instance }) => ` --release ${printable(instance)}`).join('')
  const needs = [
    ...held.map(
      (one) =>
        `${named(one)}: ${one.lapsed} of ${one.had} people lost access, so the cause is probably shared. No one is emailed about it. Find the cause.`,
    ),
    release && `If people have to connect it again, in one email: ${COMMAND} keep PEOPLE.csv${release}`,
    zones && `No run of this week was made in working time in ${zones}: schedule onramp keep every hour.`,
    ...limitFaults(faults),
    unreadable > 0 && `What is stored about ${unreadable} people can't be read: ${COMMAND} doctor`,
    refused > 0 &&
      `Questions that the service refused (401 or 403): ${refused}. The token lacks a permission, or is invalid: ${COMMAND} doctor --as EMAIL`,
    uncertain > 0 &&
      `Whether ${uncertain} emails arrived is unknown. They count as sent, so that these people are due again after seven days. To send invitations and reminders again now: ${COMMAND} invite send PEOPLE.csv --retry-unknown`,
    failed > 0 && `The mail server rejected ${failed} emails for good: correct the addresses on the list.`,
  ]
  return needs.filter((need) => typeof need === 'string' && need !== '') as string[]
}

function sumUp(keepState: KeepState, report: Report, tally: Tally, run: Run): number {
  const { options, parts } = run
  const needs = needsOf(keepState, tally, run)
  if (options.json) {
    const { day: _day, ...states } = rowOf(report)
    parts.stdout.write(`${JSON.stringify({ ...tally, leftOut: run.leftOut, states, needs })}\n`)
  } else {
    parts.stderr.write(formatSummary(tally, false, false))
    for (const need of needs) parts.stderr.write(`Needs you: ${need}\n`)
  }
  return needs.length > 0 ? EXIT_NEEDS_SOMEONE : 0
}
