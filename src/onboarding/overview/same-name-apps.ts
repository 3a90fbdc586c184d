// Apps with one name, told apart by a number that only this page knows: what it says so that a person connects each of
// them to an account of its own. Pure.
import { MAX_SCANNABLE_APPS } from '../../company/app-names.ts'
import { findApp, hasLapsed, type OverviewApp, type OverviewModel } from './model.ts'

/** People who need an admin have tried with an account, and would meet the same wall with it again. */
const CHOSEN: readonly OverviewApp['standing']['kind'][] = ['connected', 'confirming', 'blocked']
const isChosen = ({ standing }: OverviewApp): boolean => CHOSEN.includes(standing.kind)

/** What is under way, or isn’t up to the person, is nothing to start with. */
const NOT_TO_START: readonly OverviewApp['standing']['kind'][] = ['confirming', 'off']

/** The apps of this visit with the name of this one, itself among them. */
export const sameNameApps = ({ byShortName }: OverviewModel, { short }: OverviewApp): OverviewApp[] =>
  byShortName.get(short) ?? []

/** Was an account chosen already for an app of the same name? Then the usual advice would lead to it again. */
export const hasSameNameAccount = (situation: OverviewModel, instance: string | undefined): boolean => {
  const mine = findApp(situation, instance)
  return mine !== undefined && sameNameApps(situation, mine).some((app) => app !== mine && isChosen(app))
}

/**
 * The account that the company's file names for this app. Given for every app of the name, as one for `slack` is, it
 * can't be right for each of them, so it is said of none.
 */
export const configuredAccount = (
  { sharedAccounts, about }: OverviewModel,
  instance: string,
): string | undefined => (sharedAccounts.has(instance) ? undefined : about(instance).account)

/**
 * Which account to choose, for an app that shares its name or had an account before; undefined: there is no other, or the
 * company says which.
 */
export function accountHint(situation: OverviewModel, app: OverviewApp): string | undefined {
  const { t } = situation
  if (configuredAccount(situation, app.entry.instance) !== undefined) return undefined
  const isAgain = hasLapsed(app)
  const alike = sameNameApps(situation, app)
  if (alike.length < 2) return isAgain ? t('next.alikeAgain') : undefined
  // So many are not named one by one, in the row of each.
  if (alike.length > MAX_SCANNABLE_APPS)
    return isAgain ? t('next.alikeAgain') : t('next.alike', { app: app.short, count: alike.length })
  const others = alike.filter((other) => other !== app)
  const named = (some: readonly OverviewApp[]) => t.list(some.map(({ name }) => name))
  const chosen = others.filter(isChosen)
  if (chosen.length > 0) return t('next.alikeOther', { apps: named(chosen) })
  // Whatever became of the others, which may be connected and no longer on the page.
  if (isAgain || app.standing.kind === 'blocked') return t('next.alikeAgain')
  if (others.every(({ standing }) => standing.kind === 'off'))
    return t('next.alikeOff', { app: app.name, apps: named(others) })
  const both = t('next.alike', { app: app.short, count: alike.length })
  // Those that were skipped are still there to mix it up with.
  const isFree = alike.every(({ standing }) => !NOT_TO_START.includes(standing.kind))
  return isFree ? t.sentences([both, t('next.alikeStart', { two: alike.length === 2 ? 'yes' : 'no' })]) : both
}

/** What the company says, else which one of several, else nothing. */
function namedAccount(situation: OverviewModel, app: OverviewApp): string | undefined {
  const account = configuredAccount(situation, app.entry.instance)
  return account === undefined ? accountHint(situation, app) : situation.t('next.useAccount', { account })
}

/** Beside a mere button or link, which leads straight there without a card: what to know before. */
export const linkNotes = (situation: OverviewModel, app: OverviewApp): string[] =>
  [situation.about(app.entry.instance).help, namedAccount(situation, app)].filter(
    (note) => note !== undefined,
  )

/** Which account to choose there; undefined: nothing is known of the person. */
export const accountAdvice = (situation: OverviewModel, app: OverviewApp): string | undefined =>
  namedAccount(situation, app) ??
  (situation.person === '' ? undefined : situation.t('next.account', { person: situation.person }))
