// Apps with one name, told apart by a number that only this page knows: what it says so that a person connects each of
// them to an account of its own. Pure.
import { appIn, hasLapsed, type App, type Situation } from './situation.ts'

/** People who need an admin have tried with an account, and would meet the same wall with it again. */
const CHOSEN: readonly App['standing']['kind'][] = ['connected', 'confirming', 'blocked']
const isChosen = ({ standing }: App): boolean => CHOSEN.includes(standing.kind)

/** What is under way, or isn’t up to the person, is nothing to start with. */
const NOT_TO_START: readonly App['standing']['kind'][] = ['confirming', 'off']

const isAlike = (app: App, other: App): boolean =>
  other.short === app.short && other.entry.instance !== app.entry.instance

/** Was an account chosen already for an app of the same name? Then the usual advice would lead to it again. */
export const hasChosenTwin = (situation: Situation, instance: string | undefined): boolean => {
  const mine = appIn(situation, instance)
  return mine !== undefined && situation.apps.some((app) => isAlike(mine, app) && isChosen(app))
}

/**
 * The account that the company's file names for this app. Given for every app of the name, as one for `slack` is, it
 * can't be right for each of them, so it is said of none.
 */
export function givenAccount({ known, about }: Situation, instance: string): string | undefined {
  const { account } = about(instance)
  const mine = known.find(({ entry }) => entry.instance === instance)
  const isShared = known.some(
    (app) => mine !== undefined && isAlike(mine, app) && about(app.entry.instance).account === account,
  )
  return isShared ? undefined : account
}

/**
 * Which account to choose, for an app that shares its name or had an account before; undefined: there is no other, or the
 * company says which.
 */
export function accountOf(situation: Situation, app: App): string | undefined {
  const { t } = situation
  const others = situation.apps.filter((other) => isAlike(app, other))
  if (givenAccount(situation, app.entry.instance) !== undefined) return undefined
  const named = (some: readonly App[]) => t.list(some.map(({ name }) => name))
  const chosen = others.filter(isChosen)
  if (chosen.length > 0) return t('next.alikeOther', { apps: named(chosen) })
  // Whatever became of the others, which may be connected and no longer on the page.
  if (hasLapsed(app)) return t('next.alikeAgain')
  if (others.length === 0) return undefined
  if (app.standing.kind === 'blocked') return t('next.alikeAgain')
  if (others.every(({ standing }) => standing.kind === 'off'))
    return t('next.alikeOff', { app: app.name, apps: named(others) })
  // Those that were skipped are still there to mix it up with.
  const both = t('next.alike', { app: app.short, count: others.length + 1 })
  const isFree = [app, ...others].every(({ standing }) => !NOT_TO_START.includes(standing.kind))
  return isFree ? t.sentences([both, t('next.alikeStart')]) : both
}

/** Beside a mere button or link, which leads straight there without a card: what to know before. */
export function notesBeside(situation: Situation, app: App): string[] {
  const { help } = situation.about(app.entry.instance)
  const account = givenAccount(situation, app.entry.instance)
  const which =
    account === undefined ? accountOf(situation, app) : situation.t('next.useAccount', { account })
  return [help, which].filter((note) => note !== undefined)
}

/** May the account that a person works with be the wrong one? Then another one was chosen for it, or is named. */
export function mayDiffer(situation: Situation, instance: string | undefined): boolean {
  const mine = appIn(situation, instance)
  if (mine === undefined) return false
  const isNamed = givenAccount(situation, mine.entry.instance) !== undefined
  const hasTwin = situation.apps.some((app) => isAlike(mine, app))
  return (hasTwin && isNamed) || hasLapsed(mine) || hasChosenTwin(situation, instance)
}
