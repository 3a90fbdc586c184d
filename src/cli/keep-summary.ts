// Prints the result of a run of `onramp keep`: counts, changes, and action items in the words of /admin.
import { printable } from '@onramp/terminal/printable'
import { withPeriod } from '@onramp/terminal/shell'
import { peopleUrl } from '../admin/filters.ts'
import { describeActionItems } from '../admin/overview.ts'
import { withCompanyNames } from '../admin/unique-names.ts'
import { describeLostApp } from '../admin/removal-texts.ts'
import { isoTime, utcDay, type Report } from '../admin/report.ts'
import type { RunDeps } from '../campaigns/delivery.ts'
import type { Tally } from '../campaigns/tally.ts'
import { WORKING_HOURS } from '../campaigns/working-time.ts'
import { activeMassDisconnects, unansweredDelistings, type KeepState } from '../people/keep-state.ts'
import type { OperatorAction } from '../people/person.ts'
import { COMMAND } from '../version.ts'
import { printSummary, type RunInput } from './invite/campaign-run.ts'
import { limitFaults } from './invite/list.ts'
import { forTerminal, operatorTexts } from './operator.ts'

/** `from`: when the first of these emails can leave, milliseconds since 1970. */
type OutOfHours = { count: number; from: number; timezone: string }

/** Items of /admin for which a run exits with 3. The others can wait, or are about emails of earlier runs. */
const isForOperator = ({ kind, isUndelivered }: { kind: string; isUndelivered: boolean }, tally: Tally) =>
  isUndelivered ||
  kind === 'massDisconnect' ||
  kind === 'removed' ||
  kind === 'emptied' ||
  ((kind === 'failed' || kind === 'uncertain') && tally[kind] > 0)

/** Prints the first items, one a line. @param where the place of the other items */
const indented = (lines: readonly string[], where: string): string =>
  limitFaults(lines, (more) => `and ${more} more: see ${where}`)
    .map((line) => `\n  ${printable(line)}`)
    .join('')

/**
 * The effect of `--release` or `--removed`.
 * @param options.isNow no pause and no weekend delays emails; `limited`: people who wait for the quarterly limit
 */
function describeAction(
  { what }: OperatorAction,
  app: string,
  { isNow, limited }: { isNow: boolean; limited: number },
): string | [] {
  const when =
    ' People who lost access are emailed from now on: the last of them after the next check of everyone, usually within six hours.'
  if (what === 'released')
    return `${app} is released.${isNow ? when : ''}${limited > 0 ? ` Waiting for the limit of four emails in a quarter: ${limited}.` : ''}`
  if (what === 'removed') return `${app} counts as removed: it is in no figure and no email.`
  return what === 'markedConnected' ? `${app} counts as connected for everyone whose list it left.` : []
}

export function describeOutOfHours({ count, from, timezone }: OutOfHours, isMore: boolean): string {
  const format = { weekday: 'short', month: 'short', day: 'numeric', timeZone: timezone } as const
  const day = new Intl.DateTimeFormat('en', format).format(from)
  const people = isMore ? 'more' : count === 1 ? 'person' : 'people'
  return `Emails to ${count} ${people} leave from ${WORKING_HOURS.fromTime} where they are (the first on ${day}).`
}

/** Sentences, each with its command or page in a second line. */
function describeNeeds(
  items: ReturnType<typeof describeActionItems>,
  state: KeepState,
  publicUrl: string,
): string[] {
  const pausedApps = activeMassDisconnects(state)
  const options = pausedApps.map(({ instance, movedTo = instance }) => ` --release ${printable(movedTo)}`)
  const releaseAll = `If people have to connect all of these again, send one email:\n  ${COMMAND} keep PEOPLE.csv${options.join('')}`
  return [
    ...items.map(({ title, detail, command, href }) => {
      const sentences = forTerminal(`${withPeriod(title)} ${withPeriod(detail)}`)
      return `${sentences}\n  ${command ?? publicUrl + href}`
    }),
    ...(options.length > 1 ? [releaseAll] : []),
    ...(state.needs ?? []),
  ]
}

/** A service that fails may list nothing. If lists had apps before, there is a question instead. */
const describeNoApps = ({ people, unchecked, datasources }: Report, state: KeepState): string | false =>
  people > unchecked &&
  datasources.length === 0 &&
  unansweredDelistings(state).length === 0 &&
  `The service lists no app for anyone. If that can't be right, check it: ${COMMAND} doctor --as EMAIL`

/**
 * @param found `renamed` and `outdated` are sentences, `unknown` are addresses
 * @returns true if the run exits with 3
 */
export function printRun(
  madeReport: Report,
  state: KeepState,
  { runDeps, ...run }: RunInput & { runDeps: RunDeps; options: { json?: true | undefined } },
  {
    actions,
    outOfHours,
    began,
    ...found
  }: Record<'renamed' | 'outdated' | 'unknown', readonly string[]> & {
    actions: readonly OperatorAction[]
    outOfHours: OutOfHours
    /** The start of the run, milliseconds since 1970. */
    began: number
  },
): boolean {
  const { settings, company, context, options } = run
  const { tally } = runDeps
  const t = operatorTexts()
  const { report, keepState } = withCompanyNames(madeReport, state, company, t.lang)
  const apps: Parameters<typeof describeLostApp>[0][] = [
    ...keepState.massDisconnects,
    ...(keepState.delistedApps ?? []),
  ]
  const isNow = outOfHours.count === 0 && state.pausedUntil === undefined
  const describeOf = (action: OperatorAction) => {
    const current = company.activeReplacements.get(action.app ?? '') ?? action.app
    const isCurrentApp = ({ instance }: { instance: string }) => instance === current
    const limited = report.datasources.find(isCurrentApp)?.releasedLimited ?? 0
    const app = apps.find(isCurrentApp)
    const isReleased = app !== undefined && action.what === 'released'
    const move = isReleased ? describeLostApp(app, keepState, report, t).texts : []
    return [describeAction(action, forTerminal(app?.name ?? ''), { isNow, limited }), move.map(forTerminal)]
      .flat()
      .join(' ')
  }
  // The state's needs are printed one by one, not as an item.
  const items = describeActionItems(
    report,
    { ...keepState, needs: [] },
    { ...company, t, now: context.now() },
  )
  const needs = describeNeeds(items, state, settings.PUBLIC_URL)
  const { renamed, outdated, unknown } = found
  const pausedUntil = state.pausedUntil && utcDay(state.pausedUntil)
  const limited = report.datasources.flatMap(({ instance, emailed, limited: atLimit }) =>
    atLimit > 0 ? { instance, emailed, waiting: atLimit } : [],
  )
  const emails = { emailsWaiting: outOfHours.count, emailsFrom: isoTime(outOfHours.from) }
  const { day: _day, ...states } = state.days.at(-1) ?? {}
  const counts = { ...tally, states, pausedUntil, ...found, limited, ...emails }
  const json = options.json && { ...counts, needs: needs.map((need) => need.replaceAll(/\n */g, ' ')) }
  printSummary(run, runDeps, json, { isDryRun: false, isComplete: false })
  const goneListUrl = `${settings.PUBLIC_URL}${peopleUrl({ filter: 'gone' })}`
  const eventsOfRun = (keepState.appEvents ?? []).filter(({ at }) => at >= began)
  const lines = [
    ...actions.flatMap(describeOf),
    ...eventsOfRun.flatMap(({ what, name: app, people: lapsed, at }) =>
      what === 'restored' || what === 'ended' || what === 'hidden'
        ? forTerminal(`${t(`admin.since.${what}`, { app, lapsed, day: t.day(at) })}.`)
        : [],
    ),
    renamed.length > 0 &&
      `${renamed.length === 1 ? '1 person has' : `${renamed.length} people have`} a new address or id:${indented(renamed, '--json')}`,
    unknown.length > 0 && `Unknown to the service:${indented(unknown, goneListUrl)}`,
    outdated.length > 0 &&
      `Former addresses on the list: ${outdated.length}. These people are emailed at the new ones. Update the list:${indented(outdated, '--json')}`,
    describeNoApps(report, keepState),
    outOfHours.count > 0 && describeOutOfHours(outOfHours, tally.sent > 0),
    pausedUntil && `Only admins are emailed before ${pausedUntil}.`,
    ...needs.map((need) => `Needs you: ${need}`),
  ]
  if (!json) for (const line of new Set(lines.filter(Boolean))) context.stderr.write(`${line}\n`)
  return (state.needs ?? []).length > 0 || items.some((item) => isForOperator(item, tally))
}
