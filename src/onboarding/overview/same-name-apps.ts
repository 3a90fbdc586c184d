// Advice for apps with the same name, which only this page numbers: the person should connect each app to a different
// account. Pure.
import { MAX_SCANNABLE_APPS } from '../../company/app-names.ts'
import type { AppState } from '../app-state.ts'
import { findApp, hasLapsed, type OverviewApp, type OverviewModel } from './model.ts'

/** States in which an account was chosen. For a blocked app, the person tried one that would fail again. */
const ACCOUNT_CHOSEN: readonly AppState['kind'][] = ['connected', 'confirming', 'blocked']
const isChosen = ({ state }: OverviewApp): boolean => ACCOUNT_CHOSEN.includes(state.kind)

const NOT_STARTABLE: readonly AppState['kind'][] = ['confirming', 'off']

const sameNameApps = ({ byShortName }: OverviewModel, { short }: OverviewApp): OverviewApp[] =>
  byShortName.get(short) ?? []

/** True if an account was chosen for another app with this name, to which the usual advice would lead again. */
export const hasSameNameAccount = (model: OverviewModel, instance: string | undefined): boolean => {
  const ownApp = findApp(model, instance)
  return ownApp !== undefined && sameNameApps(model, ownApp).some((app) => app !== ownApp && isChosen(app))
}

/** The account from the company file, unless other apps with this name have it, too: it can't be right for each. */
export const configuredAccount = ({ sharedAccounts, describe }: OverviewModel, instance: string) =>
  sharedAccounts.has(instance) ? undefined : describe(instance).account

/** The account to choose, if the app shares its name or had an account. Undefined if the company file has a text. */
function accountHint(model: OverviewModel, app: OverviewApp): string | undefined {
  const { t } = model
  if (configuredAccount(model, app.instance) !== undefined) return undefined
  const isAgain = hasLapsed(app)
  const sameName = sameNameApps(model, app)
  if (sameName.length < 2) return isAgain ? t('next.alikeAgain') : undefined
  if (sameName.length > MAX_SCANNABLE_APPS)
    return isAgain ? t('next.alikeAgain') : t('next.alike', { app: app.short, count: sameName.length })
  const others = sameName.filter((other) => other !== app)
  const named = (some: readonly OverviewApp[]) => t.list(some.map(({ name }) => name))
  const chosen = others.filter(isChosen)
  if (chosen.length > 0) return t('next.alikeOther', { apps: named(chosen) })
  // The other apps may be connected, and no longer be shown.
  if (isAgain || app.state.kind === 'blocked') return t('next.alikeAgain')
  if (others.every(({ state }) => state.kind === 'off'))
    return t('next.alikeOff', { app: app.name, apps: named(others) })
  const both = t('next.alike', { app: app.short, count: sameName.length })
  const isFree = sameName.every(({ state }) => !NOT_STARTABLE.includes(state.kind))
  return isFree
    ? t.sentences([both, t('next.alikeStart', { two: sameName.length === 2 ? 'yes' : 'no' })])
    : both
}

function namedAccount(model: OverviewModel, app: OverviewApp): string | undefined {
  const account = configuredAccount(model, app.instance)
  return account === undefined ? accountHint(model, app) : model.t('next.useAccount', { account })
}

/** Notes beside a link that starts a consent: what to do first, and the account to use. */
export const linkNotes = (model: OverviewModel, app: OverviewApp): string[] =>
  [model.describe(app.instance).help, namedAccount(model, app)].filter((note) => note !== undefined)

/** The account to choose; undefined if nothing is known about the person. */
export const accountAdvice = (model: OverviewModel, app: OverviewApp): string | undefined =>
  namedAccount(model, app) ??
  (model.person === '' ? undefined : model.t('next.account', { person: model.person }))
