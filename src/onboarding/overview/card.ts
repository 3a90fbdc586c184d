// The card and the banner of the overview. The card has the next action (for the next app, a consent being confirmed,
// or an unconfirmed one), the banner the result of the last step. Pure.
import { isUnavailable } from '../../client-api/app-status.ts'
import type { TextKey } from '../../web/languages/catalogue.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { pathWithoutReload } from '../../web/cross-site.ts'
import { actionPath, callbackPath, overviewPath } from '../paths.ts'
import type { TrackedApp } from '../walk.ts'
import { iconOf } from '../../company/app-description.ts'
import type { Action } from './rows.ts'
import { automaticNext, firstOffered } from '../next-step.ts'
import { approvalDate, findApp, hasLapsed, type OverviewModel } from './model.ts'
import { accountAdvice, configuredAccount, hasSameNameAccount, linkNotes } from './same-name-apps.ts'

const appName = (model: OverviewModel, instance: string): string => findApp(model, instance)?.name ?? instance

/** With a longer name, a wide button has three lines on a phone. */
const MAX_IN_BUTTON = 20
/** A sentence may wrap, but must not be mostly a name. */
const MAX_IN_SENTENCE = 32
/** Counts a Chinese character as two. */
export const isLong = (name: string, max = MAX_IN_SENTENCE): boolean =>
  name.length + (name.match(/[\u2e80-\uffef]/g)?.length ?? 0) > max

type TextKeyPair = readonly [withName: TextKey, without: TextKey]

/** The text with the app's name, or without it if it is too long. */
export const fitText = (name: string, t: Texts, [withName, without]: TextKeyPair, max = MAX_IN_SENTENCE) =>
  t(isLong(name, max) ? without : withName, { app: name })

const fitLabel = (name: string, t: Texts, keys: TextKeyPair): Omit<Action, 'href'> => ({
  label: fitText(name, t, keys, MAX_IN_BUTTON),
  ...(isLong(name, MAX_IN_BUTTON) && { forApp: name }),
})

/** A long name gets a separate line, `nameLine`, below the title. */
const fitTitle = (name: string, t: Texts, keys: TextKeyPair) => ({
  title: fitText(name, t, keys),
  nameLine: isLong(name) ? name : '',
})

/** `resume` replaces the card: a button to the later apps of a long walk, or to the skipped ones. */
export function cardAndBanner(model: OverviewModel) {
  const [card, confirming] = [cardOf(model), confirmingOf(model)]
  const banner = card?.hasFocus || confirming?.hasFocus ? undefined : bannerOf(model)
  return { card, confirming, resume: resumeAction(model), banner }
}

function cardOf(model: OverviewModel) {
  const { next, from } = model
  switch (next.kind) {
    case 'finished':
      return undefined
    case 'connect':
      return connectCard(model, next.instance)
    case 'confirming':
      // While one consent is being confirmed, the person continues with the other apps.
      return next.otherApp === undefined
        ? { ...confirmingCard(model, next), hasFocus: from === next.instance && next.checksSinceReturn <= 1 }
        : connectCard(model, next.otherApp)
    case 'unconfirmed':
      return unconfirmedCard(model, next.instance)
  }
}

type IconText = { text: string; kind: 'good' | 'lock' | 'account' | 'notice' | 'clock' }

const emptyCard = (model: OverviewModel, instance: string) => {
  const app = appName(model, instance)
  return {
    instance,
    icon: iconOf({ name: app, instance }, model.describe),
    app,
    nameLine: '',
    short: findApp(model, instance)?.short ?? app,
    skip: actionPath('skip', instance),
    paragraphs: [] as string[],
    /** Lines above the main action: the first steps, the access that search gets, and the account to use. */
    lines: [] as IconText[],
    details: undefined as { title: string; lines: IconText[] } | undefined,
    explain: '',
    fixes: [] as string[],
    block: undefined as Action | undefined,
    decline: undefined as Action | undefined,
    control: undefined as { stop: string; checkAgain: string } | undefined,
    hasFocus: false,
  }
}

const withIcon = (kind: IconText['kind'], texts: readonly (string | undefined)[]): IconText[] =>
  texts.flatMap((text) => (text === undefined ? [] : [{ kind, text }]))

/** The service doesn't report when access ended, so this is when we noticed. */
const endedText = ({ lapsedAt }: TrackedApp, t: Texts): string =>
  lapsedAt === undefined ? t('next.explainStale') : t('next.explainLapsed', { date: t.day(lapsedAt) })

function explainText(model: OverviewModel, instance: string, app: string): string {
  const { t, counts, states, isAutomatic, describe } = model
  const isLast = counts.pending <= 1
  const next = automaticNext(states, () => true, instance)
  const goesOn = isAutomatic && next !== undefined && describe(next).help === undefined
  if (!isLast && !goesOn) return fitText(app, t, ['next.explainBack', 'plain.explainBack'])
  return t(isLong(app) ? 'plain.explain' : 'next.explain', { app, last: isLast ? 'yes' : 'no' })
}

function connectCard(model: OverviewModel, instance: string) {
  const { t, describe } = model
  const card = emptyCard(model, instance)
  const { app, short } = card
  const { reads, never, why, help, isRequired } = describe(instance)
  const overviewApp = findApp(model, instance)
  const lapseText = overviewApp && hasLapsed(overviewApp) ? endedText(overviewApp.tracked, t) : undefined
  const isAgain = lapseText !== undefined
  // The person knows the reasons from the first time, or from an app of the same name.
  const hasReasons = !isAgain && !hasSameNameAccount(model, instance)
  const [readOnly, ...neverElse] = never
  const titles = fitText(
    app,
    t,
    isAgain ? ['next.titleStale', 'plain.titleStale'] : ['next.title', 'plain.title'],
  )
  // A long name gets a separate line if it would precede the verb, or is written in the other direction.
  const [title = '', nameLine = ''] = titles.split('\n')
  return {
    ...card,
    kind: 'connect' as const,
    title,
    nameLine,
    paragraphs: isAgain ? [lapseText] : [],
    lines: [
      ...withIcon('notice', [help]),
      ...withIcon('good', [fitText(short, t, ['next.reads', 'plain.reads'])]),
      ...withIcon('lock', [readOnly]),
      ...withIcon('account', [overviewApp && accountAdvice(model, overviewApp)]),
    ],
    details: {
      title: t('next.about'),
      lines: [
        ...withIcon('good', reads),
        ...withIcon('lock', [...neverElse, t('next.noOneElse')]),
        ...withIcon('notice', hasReasons ? [why, isRequired ? t('next.required') : undefined] : []),
        ...withIcon('clock', [t('overview.saved')]),
      ],
    },
    explain: explainText(model, instance, short),
    hasFocus: model.from === instance && !model.isSignedInAgain,
    main: {
      href: actionPath('connect', instance),
      ...fitLabel(
        app,
        t,
        isAgain ? ['next.actionStale', 'plain.reconnect'] : ['next.action', 'plain.action'],
      ),
    },
  }
}

function confirmingCard(model: OverviewModel, wait: { instance: string; step: string }) {
  return {
    ...emptyCard(model, wait.instance),
    kind: 'confirming' as const,
    ...confirmingTexts(model, wait),
    paragraphs: [model.t('wait.explain')],
    main: undefined,
  }
}

/** `control` stops the automatic reload, or checks again after that. */
const confirmingTexts = (model: OverviewModel, { instance, step }: { instance: string; step: string }) => ({
  ...fitTitle(appName(model, instance), model.t, ['wait.title', 'plain.checking']),
  decline: { href: actionPath('declined', instance), label: model.t('wait.declined') },
  control: { stop: pathWithoutReload(overviewPath(model.visit)), checkAgain: callbackPath(step) },
})

function unconfirmedCard(model: OverviewModel, instance: string) {
  const { t } = model
  const card = emptyCard(model, instance)
  const { app, short } = card
  const overviewApp = findApp(model, instance)
  const account = configuredAccount(model, instance)
  const hasSameName = overviewApp !== undefined && (model.byShortName.get(overviewApp.short)?.length ?? 0) > 1
  const ownAccount = hasSameName ? t('attend.fixAlike', { app: short }) : t('attend.fix2')
  return {
    ...card,
    kind: 'unconfirmed' as const,
    ...fitTitle(app, t, ['attend.title', 'plain.attend']),
    paragraphs: [t(overviewApp?.tracked.attempt?.isDeclined ? 'attend.declined' : 'attend.explain')],
    fixes: [
      fitText(short, t, ['attend.fix1', 'plain.fix1']),
      account === undefined ? ownAccount : t('next.useAccount', { account }),
    ],
    main: {
      href: actionPath('connect', instance),
      ...fitLabel(app, t, ['start.unconfirmed', 'problem.tryAgain']),
    },
    block: { href: actionPath('blocked', instance), label: t('overview.block') },
    hasFocus: model.from === instance,
  }
}

function confirmingOf(model: OverviewModel) {
  const { next, t, from } = model
  if (next.kind !== 'confirming' || next.otherApp === undefined) return undefined
  const { instance, checksSinceReturn, otherApp } = next
  return {
    instance,
    ...confirmingTexts(model, next),
    text: fitText(appName(model, otherApp), t, ['wait.meanwhile', 'plain.meanwhile']),
    // Only a return moves the focus; a reload must not.
    hasFocus: from === instance && checksSinceReturn <= 1,
  }
}

function resumeAction(model: OverviewModel): (Action & { notes: string[] }) | undefined {
  const { apps, next, headline, states, t } = model
  if (next.kind !== 'finished' || headline.state === 'open') return undefined
  const laterApp = states.firstApps && findApp(model, firstOffered(states))
  const app = laterApp ?? apps.find(({ state }) => state.kind === 'skipped')
  if (app === undefined) return undefined
  const { instance, tracked } = app
  const key = tracked.status === 'stale' ? 'start.stale' : 'start.todo'
  const isFirst = apps.every(({ state }) => state.kind !== 'connected')
  const plain = isFirst ? 'plain.first' : 'plain.skipped'
  return {
    href: actionPath('connect', instance),
    ...(laterApp ? { label: t('overview.goOn'), forApp: app.name } : fitLabel(app.name, t, [key, plain])),
    notes: linkNotes(model, app),
  }
}

/** The result of the app that the person comes from, at the top of the overview. */
function bannerOf(model: OverviewModel) {
  const { t, next, headline } = model
  const texts = { title: t('banner.signedInAgain'), nameLine: '', text: t('banner.signedInAgainText') }
  if (model.isSignedInAgain && next.kind === 'connect') return { kind: 'notice', ...texts }
  const app = findApp(model, model.from)
  if (app === undefined) return undefined
  const { name, state } = app
  const { status } = app.tracked
  const banner = (kind: string, titles: readonly [TextKey, TextKey], text: string) => {
    return { kind, ...fitTitle(name, t, titles), text }
  }
  if (state.kind === 'off' && isUnavailable(status))
    return banner('notice', [`banner.${status}`, `status.${status}`], t(`note.${status}`))
  switch (state.kind) {
    case 'connected': {
      // The headline reports that everything is connected.
      if (headline.state === 'done') return undefined
      const nextName = next.kind === 'connect' ? appName(model, next.instance) : undefined
      const text =
        nextName === undefined || isLong(nextName) ? '' : t('banner.connectedNext', { app: nextName })
      return banner('good', ['banner.connected', 'status.connected'], text)
    }
    case 'blocked':
      // The row shows that the person can connect it.
      if (approvalDate(model, app) !== undefined) return undefined
      return banner('notice', ['banner.blocked', 'status.blocked'], t('banner.blockedText'))
    case 'skipped':
      // The headline counts all skipped apps.
      if (headline.state === 'incomplete') return undefined
      return banner('notice', ['banner.skipped', 'status.skipped'], t('banner.skippedText'))
    case 'unconfirmed':
      return banner('bad', ['banner.unconfirmed', 'plain.attend'], t('banner.unconfirmedText'))
    default:
      return undefined
  }
}
