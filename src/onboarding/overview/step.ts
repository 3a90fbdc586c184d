// What the overview says first: what came of the app that the person comes from, and what is offered now: connect, wait
// for a consent to show, or try again. Pure.
import { isOff } from '../../client-api/app-status.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { callbackPath, connectPath, overviewPath, skipPath } from '../paths.ts'
import type { Known } from '../walk.ts'
import { kindOfStatus, labelOf, tileOf, type Action } from './entries.ts'
import { appIn, nameIn, type Scene } from './scene.ts'

/** The same page, not looking again on its own (web/pages.ts). */
const stillPath = (path: string) => `${path}${path.includes('?') ? '&' : '?'}still=yes`

export function stepOf(scene: Scene) {
  const { where, t, from } = scene
  if (where.kind === 'finished') return undefined
  const { instance } = where
  const entry = appIn(scene, instance)?.entry
  const name = nameIn(scene, instance)
  const common = {
    kind: where.kind,
    instance,
    tile: tileOf({ name: entry?.name ?? name, instance }),
    skip: skipPath(instance),
    connect: { href: connectPath(instance), label: t('start.unconfirmed', { app: name }) },
    causes: [] as readonly string[],
    /** The app to go on with while this one is being confirmed, or is left for later. */
    onward: onwardOf(scene),
    /** Where a page that waits looks again at once, and where it stops looking on its own. */
    lookAgain: undefined,
    stop: undefined,
    facts: [] as Fact[],
    /** Did the person just come from it? Then it is what is read first. */
    focus: from === instance,
  }
  switch (where.kind) {
    case 'wait':
      return {
        ...common,
        title: t('wait.title', { app: name }),
        paragraphs: [t('wait.explain', { app: name }), t('wait.denied', { app: name })],
        lookAgain: callbackPath(where.step),
        stop: stillPath(overviewPath(scene.visit)),
        // Once, when the person comes back: moving it at every look would take it from their hands.
        focus: common.focus && where.looks <= 1,
      }
    case 'attend': {
      const causes = [t('attend.cause1'), t('attend.cause2'), t('attend.cause3')]
      const title = t('attend.title', { app: name })
      return { ...common, title, paragraphs: [t('attend.explain', { app: name })], causes }
    }
    case 'connect': {
      const isStale = entry?.status === 'stale'
      const explain = t('next.explain', { app: name })
      return {
        ...common,
        title: t(isStale ? 'next.titleStale' : 'next.title', { app: name }),
        paragraphs: isStale ? [t('next.explainStale', { app: name }), explain] : [explain],
        connect: { ...common.connect, label: connectLabel(entry?.status ?? 'awaiting', name, t) },
        facts: factsOf(scene),
        focus: false,
      }
    }
  }
}

/** By the service's word alone: it may be under way in another tab, and is offered all the same. */
const connectLabel = (status: Known['status'], name: string, t: Texts): string =>
  labelOf(kindOfStatus(status), name, t) ?? t('start.todo', { app: name })

/** What the person may do meanwhile; an app that waits holds up none of the others. */
function onwardOf(scene: Scene): Action | undefined {
  const { where, t } = scene
  if ((where.kind !== 'wait' && where.kind !== 'attend') || where.meanwhile === undefined) return undefined
  return {
    href: connectPath(where.meanwhile),
    label: t('overview.continueWith', { app: nameIn(scene, where.meanwhile) }),
  }
}

type Fact = { icon: 'clock' | 'onward' | 'person'; text: string }

function factsOf({ t, counts, advances, person }: Scene): Fact[] {
  const facts: Fact[] = [{ icon: 'clock', text: t('next.duration') }]
  if (counts.pending > 1)
    facts.push({ icon: 'onward', text: t(advances ? 'next.several' : 'next.stepByStep') })
  if (person !== '') facts.push({ icon: 'person', text: t('next.account', { person }) })
  return facts
}

/** What came of the app that the person just came from. */
export function bannerOf(scene: Scene) {
  const { t, where, opening } = scene
  const app = appIn(scene, scene.from)
  if (app === undefined) return undefined
  const { name, standing, entry } = app
  if (standing.kind === 'off' && isOff(entry.status))
    return {
      kind: 'notice',
      title: t(`banner.${entry.status}`, { app: name }),
      text: t(`note.${entry.status}`),
    }
  switch (standing.kind) {
    case 'connected': {
      const last = opening.mood === 'done' ? t('banner.connectedLast') : ''
      const text =
        where.kind === 'connect' ? t('banner.connectedNext', { app: nameIn(scene, where.instance) }) : last
      return { kind: 'good', title: t('banner.connected', { app: name }), text }
    }
    case 'blocked':
      return { kind: 'notice', title: t('banner.blocked', { app: name }), text: t('banner.blockedText') }
    case 'skipped':
      return { kind: 'notice', title: t('banner.skipped', { app: name }), text: t('banner.skippedText') }
    case 'unconfirmed':
      return { kind: 'bad', title: t('banner.unconfirmed', { app: name }), text: t('banner.unconfirmedText') }
    default:
      return undefined
  }
}
