// The one thing that the overview offers now: the next app, a consent that is being confirmed, or one that was not. Pure.
import { callbackPath, connectPath, overviewPath, skipPath } from '../paths.ts'
import { tileOf } from './about.ts'
import { accountBeside, accountOf, givenAccount, hasChosenTwin } from './alike.ts'
import { blockOf, isLong, labelled, titled, worded, type Action } from './entries.ts'
import { appIn, nameIn, type Scene } from './scene.ts'

/** The same page, not looking again on its own (web/pages.ts). */
const stillPath = (path: string) => `${path}${path.includes('?') ? '&' : '?'}still=yes`

/** The card of the page: its title, its words, one main action, and less visible ones. */
export function stepOf(scene: Scene) {
  const { where, from } = scene
  switch (where.kind) {
    case 'finished':
      return undefined
    case 'connect':
      return connectStep(scene, where.instance)
    case 'wait':
      // A consent that is being confirmed holds up none of the other apps.
      return where.meanwhile === undefined
        ? { ...waitStep(scene, where), focus: from === where.instance && where.looks <= 1 }
        : connectStep(scene, where.meanwhile)
    case 'attend':
      return attendStep(scene, where)
  }
}

type Where<K> = Extract<Scene['where'], { kind: K }>
/** A button that leads straight to an app, and which account to choose there. */
type WithAccount = Action & { account: string | undefined }
type Mark = { text: string; kind: 'good' | 'bad' | 'notice' }

const cardOf = (scene: Scene, instance: string) => {
  const name = nameIn(scene, instance)
  return {
    instance,
    tile: tileOf({ name, instance }, scene.about),
    app: name,
    /** The name, where the title leaves it out. */
    named: '',
    short: appIn(scene, instance)?.short ?? name,
    skip: skipPath(instance),
    paragraphs: [] as string[],
    /** What search may do there, and what not. */
    marks: [] as Mark[],
    /** What to try, one after the other. */
    causes: [] as string[],
    /** Another app to go on with. */
    onward: undefined as WithAccount | undefined,
    block: undefined as Action | undefined,
    /** To connect once more, where that is not the main action. */
    again: undefined as Action | undefined,
    /** Where a page that looks again stops doing so. */
    stop: undefined as string | undefined,
    /** Is it what is read first? */
    focus: false,
  }
}

/** There is no address to start from: only asking the service again may help, or an admin. */
function attentionStep(scene: Scene, instance: string) {
  const { t } = scene
  const card = cardOf(scene, instance)
  const title = t('problem.datasource_cannot_start.title', { hasApp: 'yes', app: card.app })
  return {
    ...card,
    kind: 'attend' as const,
    title,
    paragraphs: [t('note.attention')],
    main: { href: overviewPath(scene.visit), label: t('finished.lookAgain') } as Action,
    block: blockOf(instance, 'attention', t),
  }
}

function connectStep(scene: Scene, instance: string) {
  if (appIn(scene, instance)?.entry.status === 'attention') return attentionStep(scene, instance)
  const { t, about } = scene
  const card = cardOf(scene, instance)
  // Where it leads, it is called what it calls itself.
  const { app, short: there } = card
  const { reads, never, why, help, isRequired } = about(instance)
  const account = givenAccount(scene, instance)
  const known = appIn(scene, instance)
  const isStale = known?.entry.status === 'stale'
  const marks: Mark[] = [
    ...(reads.length > 0 ? reads : [worded(there, t, ['next.reads', 'plain.reads'])]).map((text) => ({
      text,
      kind: 'good' as const,
    })),
    ...[...never, t('next.noOneElse')].map((text) => ({ text, kind: 'bad' as const })),
    ...[account === undefined ? undefined : t('next.useAccount', { account }), help]
      .filter((text) => text !== undefined)
      .map((text) => ({ text, kind: 'notice' as const })),
  ]
  const isLast = scene.counts.pending <= 1
  const explain = t(isLong(there) ? 'plain.explain' : 'next.explain', {
    app: there,
    last: isLast ? 'yes' : 'no',
  })
  const which = known && accountOf(scene, known)
  // Read a moment ago, it would only push the button off the screen.
  const hasReasons = !hasChosenTwin(scene, instance)
  const explained = [...(isRequired && hasReasons ? [t('next.required')] : []), explain]
  // Who connected it once knows why.
  const paragraphs = isStale
    ? [t('next.explainStale'), which]
    : [hasReasons ? why : undefined, which, t.sentences(explained)]
  const titles = worded(
    app,
    t,
    isStale ? ['next.titleStale', 'plain.titleStale'] : ['next.title', 'plain.title'],
  )
  // Where the name would come before the verb, or runs the other way, a long one has a line of its own.
  const [title = '', named = ''] = titles.split('\n')
  return {
    ...card,
    kind: 'connect' as const,
    title,
    named,
    paragraphs: paragraphs.filter((text) => text !== undefined),
    marks,
    main: {
      href: connectPath(instance),
      ...labelled(
        app,
        t,
        isStale ? ['next.actionStale', 'plain.reconnect'] : ['next.action', 'plain.action'],
      ),
    },
  }
}

function waitStep(scene: Scene, { instance, step }: Where<'wait'>) {
  const { t } = scene
  const card = cardOf(scene, instance)
  const { app } = card
  return {
    ...card,
    kind: 'wait' as const,
    ...titled(app, t, ['wait.title', 'plain.checking']),
    paragraphs: [t('wait.explain')],
    main: { href: callbackPath(step), label: t('wait.lookAgain') },
    again: { href: connectPath(instance), ...labelled(app, t, ['start.waiting', 'plain.startOver']) },
    stop: stillPath(overviewPath(scene.visit)),
  }
}

/** The causes speak of the accounts of the app's own twins. */
function accountAhead(scene: Scene, instance: string, ahead: string): string | undefined {
  const [app, next] = [appIn(scene, instance), appIn(scene, ahead)]
  return next === undefined || next.short === app?.short ? undefined : accountBeside(scene, next)
}

function attendStep(scene: Scene, { instance, meanwhile }: Where<'attend'>) {
  const { t } = scene
  const card = cardOf(scene, instance)
  const { app, short } = card
  const otherAccount = app === short ? [] : [t('attend.causeAlike', { app: short })]
  return {
    ...card,
    kind: 'attend' as const,
    ...titled(app, t, ['attend.title', 'plain.attend']),
    paragraphs: [worded(app, t, ['attend.explain', 'plain.unconfirmed'])],
    causes: [t('attend.cause1'), ...otherAccount, t('attend.cause2'), t('attend.cause3')],
    main: { href: connectPath(instance), ...labelled(app, t, ['start.unconfirmed', 'problem.tryAgain']) },
    onward:
      meanwhile === undefined
        ? undefined
        : {
            href: connectPath(meanwhile),
            ...labelled(nameIn(scene, meanwhile), t, ['overview.continueWith', 'plain.next']),
            account: accountAhead(scene, instance, meanwhile),
          },
    block: blockOf(instance, 'unconfirmed', t),
    focus: scene.from === instance,
  }
}

/** A consent that is being confirmed while the page already offers the next app. */
export function checkingOf(scene: Scene) {
  const { where, t, from } = scene
  if (where.kind !== 'wait' || where.meanwhile === undefined) return undefined
  const { instance, step, looks, meanwhile } = where
  const name = nameIn(scene, instance)
  return {
    instance,
    ...titled(name, t, ['wait.title', 'plain.checking']),
    text: worded(nameIn(scene, meanwhile), t, ['wait.meanwhile', 'plain.meanwhile']),
    denied: { href: connectPath(instance), ...labelled(name, t, ['wait.denied', 'plain.denied']) },
    lookAgain: callbackPath(step),
    stop: stillPath(overviewPath(scene.visit)),
    // Once, when the person comes back: moving it at every look would take it from their hands.
    focus: from === instance && looks <= 1,
  }
}

/** Where nothing is offered first and something was skipped: the way to take it up. */
export function resumeOf(scene: Scene): WithAccount | undefined {
  const { apps, where, opening, t } = scene
  if (where.kind !== 'finished' || opening.mood !== 'rest') return undefined
  const app = apps.find(({ standing }) => standing.kind === 'skipped')
  if (app === undefined) return undefined
  const { instance, status } = app.entry
  const key = status === 'stale' ? 'start.stale' : 'start.todo'
  // Nothing above it names the app.
  const isFirst = apps.every(({ standing }) => standing.kind !== 'connected')
  const plain = isFirst ? 'plain.first' : 'plain.skipped'
  return {
    href: connectPath(instance),
    ...labelled(app.name, t, [key, plain]),
    account: accountBeside(scene, app),
  }
}
