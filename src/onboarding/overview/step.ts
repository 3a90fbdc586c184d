// The one thing that the overview offers now: the next app, a consent that is being confirmed, or one that was not. Pure.
import type { Texts } from '../../web/languages/texts.ts'
import { callbackPath, connectPath, declinePath, overviewPath, skipPath } from '../paths.ts'
import type { TrackedApp } from '../walk.ts'
import { iconOf } from './about.ts'
import {
  sameNameApps,
  configuredAccount,
  hasSameNameAccount,
  linkNotes,
  accountAdvice,
} from './same-name-apps.ts'
import { blockAction, isLong, fitLabel, fitTitle, fitText, type Action } from './entries.ts'
import { findApp, hasLapsed, appName, type OverviewModel } from './model.ts'

/** The same page, not looking again on its own (web/pages.ts). */
const stillPath = (path: string) => `${path}${path.includes('?') ? '&' : '?'}still=yes`

/** The card of the page: its title, its words, one main action, and less visible ones. */
export function stepOf(situation: OverviewModel) {
  const { where, from } = situation
  switch (where.kind) {
    case 'finished':
      return undefined
    case 'connect':
      return connectStep(situation, where.instance)
    case 'wait':
      // A consent that is being confirmed holds up none of the other apps.
      return where.meanwhile === undefined
        ? { ...waitStep(situation, where), focus: from === where.instance && where.looks <= 1 }
        : connectStep(situation, where.meanwhile)
    case 'attend':
      return attendStep(situation, where)
  }
}

type Where<K> = Extract<OverviewModel['where'], { kind: K }>
/** A button that leads straight to an app, and what to know before one leaves for it. */
type WithNotes = Action & { notes: string[] }
type IconText = { text: string; kind: 'good' | 'lock' | 'account' | 'notice' | 'clock' }
/** A page that looks again automatically has one control: to stop it, or to look again where it is stopped. */
type Control = { stop: string; lookAgain: string }

const cardOf = (situation: OverviewModel, instance: string) => {
  const name = appName(situation, instance)
  return {
    instance,
    tile: iconOf({ name, instance }, situation.about),
    app: name,
    /** The name, where the title leaves it out. */
    named: '',
    short: findApp(situation, instance)?.short ?? name,
    skip: skipPath(instance),
    /** Above the main action: what happened. */
    paragraphs: [] as string[],
    /** Above it too, a line each: what to do first, what search may see, that it changes nothing, and which account to use. */
    marks: [] as IconText[],
    /** Behind a disclosure: whatever else there is to know. */
    about: undefined as { title: string; marks: IconText[] } | undefined,
    /** Below the main action: where it leads. */
    explain: '',
    /** What to try, one after the other. */
    fixes: [] as string[],
    block: undefined as Action | undefined,
    /** Ends the wait for a consent. */
    decline: undefined as Action | undefined,
    control: undefined as Control | undefined,
    /** Is it what is read first? */
    focus: false,
  }
}

const iconText = (kind: IconText['kind'], text: string | undefined): IconText | undefined =>
  text === undefined ? undefined : { kind, text }

/** That access has ended, and when we noticed: when it did end, the service doesn't say. */
const endedOf = ({ lapsedAt }: TrackedApp, t: Texts): string =>
  lapsedAt === undefined ? t('next.explainStale') : t('next.explainLapsed', { date: t.day(lapsedAt) })

/** What a click leads to, and where the person comes out. */
function explainOf(situation: OverviewModel, instance: string, app: string): string {
  const { t, counts } = situation
  const isLast = counts.pending <= 1
  if (!isLast && !situation.goesOn(instance))
    return fitText(app, t, ['next.explainBack', 'plain.explainBack'])
  return t(isLong(app) ? 'plain.explain' : 'next.explain', { app, last: isLast ? 'yes' : 'no' })
}

function connectStep(situation: OverviewModel, instance: string) {
  const { t, about } = situation
  const card = cardOf(situation, instance)
  // Where it leads, it is called what it calls itself.
  const { app, short: there } = card
  const { reads, never, why, help, isRequired } = about(instance)
  const known = findApp(situation, instance)
  const ended = known && hasLapsed(known) ? endedOf(known.entry, t) : undefined
  const isAgain = ended !== undefined
  // Read a moment ago for its twin, or known from the first time.
  const hasReasons = !isAgain && !hasSameNameAccount(situation, instance)
  const [readOnly, ...neverElse] = never
  const marks = [
    iconText('notice', help),
    iconText('good', fitText(there, t, ['next.reads', 'plain.reads'])),
    iconText('lock', readOnly),
    iconText('account', known && accountAdvice(situation, known)),
  ]
  const details = [
    ...reads.map((text) => iconText('good', text)),
    ...[...neverElse, t('next.noOneElse')].map((text) => iconText('lock', text)),
    iconText('notice', hasReasons ? why : undefined),
    iconText('notice', isRequired && hasReasons ? t('next.required') : undefined),
    iconText('clock', t('overview.saved')),
  ]
  const titles = fitText(
    app,
    t,
    isAgain ? ['next.titleStale', 'plain.titleStale'] : ['next.title', 'plain.title'],
  )
  // Where the name would come before the verb, or runs the other way, a long one has a line of its own.
  const [title = '', named = ''] = titles.split('\n')
  return {
    ...card,
    kind: 'connect' as const,
    title,
    named,
    paragraphs: ended === undefined ? [] : [ended],
    marks: marks.filter((mark) => mark !== undefined),
    about: { title: t('next.about'), marks: details.filter((mark) => mark !== undefined) },
    explain: explainOf(situation, instance, there),
    // Put back on the list a moment ago.
    focus: situation.from === instance && !situation.isSignedInAgain,
    main: {
      href: connectPath(instance),
      ...fitLabel(
        app,
        t,
        isAgain ? ['next.actionStale', 'plain.reconnect'] : ['next.action', 'plain.action'],
      ),
    },
  }
}

function waitStep(situation: OverviewModel, { instance, step }: Where<'wait'>) {
  const { t } = situation
  const card = cardOf(situation, instance)
  const { app } = card
  return {
    ...card,
    kind: 'wait' as const,
    ...fitTitle(app, t, ['wait.title', 'plain.checking']),
    paragraphs: [t('wait.explain')],
    main: undefined,
    decline: { href: declinePath(instance), label: t('wait.declined') },
    control: controlOf(situation, step),
  }
}

const controlOf = ({ visit }: OverviewModel, step: string): Control => ({
  stop: stillPath(overviewPath(visit)),
  lookAgain: callbackPath(step),
})

function attendStep(situation: OverviewModel, { instance }: Where<'attend'>) {
  const { t } = situation
  const card = cardOf(situation, instance)
  const { app, short } = card
  const mine = findApp(situation, instance)
  const known = mine?.entry
  const account = configuredAccount(situation, instance)
  const hasTwin = mine !== undefined && sameNameApps(situation, mine).length > 1
  const ownAccount = hasTwin ? t('attend.fixAlike', { app: short }) : t('attend.fix2')
  return {
    ...card,
    kind: 'attend' as const,
    ...fitTitle(app, t, ['attend.title', 'plain.attend']),
    paragraphs: [t(known?.attempt?.isDeclined ? 'attend.declined' : 'attend.explain')],
    fixes: [
      fitText(short, t, ['attend.fix1', 'plain.fix1']),
      account === undefined ? ownAccount : t('next.useAccount', { account }),
    ],
    main: { href: connectPath(instance), ...fitLabel(app, t, ['start.unconfirmed', 'problem.tryAgain']) },
    block: blockAction(instance, 'unconfirmed', t),
    focus: situation.from === instance,
  }
}

/** A consent that is being confirmed while the page already offers the next app. */
export function confirmingOf(situation: OverviewModel) {
  const { where, t, from } = situation
  if (where.kind !== 'wait' || where.meanwhile === undefined) return undefined
  const { instance, step, looks, meanwhile } = where
  const name = appName(situation, instance)
  return {
    instance,
    ...fitTitle(name, t, ['wait.title', 'plain.checking']),
    text: fitText(appName(situation, meanwhile), t, ['wait.meanwhile', 'plain.meanwhile']),
    decline: { href: declinePath(instance), label: t('wait.declined') },
    control: controlOf(situation, step),
    // Once, when the person comes back: moving it at every look would take it from their hands.
    focus: from === instance && looks <= 1,
  }
}

/** Where nothing is offered first: the way to what comes after the first few, or was skipped. */
export function resumeAction(situation: OverviewModel): WithNotes | undefined {
  const { apps, where, opening, following, t } = situation
  if (where.kind !== 'finished' || opening.state === 'open') return undefined
  const later = findApp(situation, following)
  const app = later ?? apps.find(({ standing }) => standing.kind === 'skipped')
  if (app === undefined) return undefined
  const { instance, status } = app.entry
  const key = status === 'stale' ? 'start.stale' : 'start.todo'
  // Nothing above it names the app.
  const isFirst = apps.every(({ standing }) => standing.kind !== 'connected')
  const plain = isFirst ? 'plain.first' : 'plain.skipped'
  return {
    href: connectPath(instance),
    ...(later ? { label: t('overview.goOn'), forApp: app.name } : fitLabel(app.name, t, [key, plain])),
    notes: linkNotes(situation, app),
  }
}
