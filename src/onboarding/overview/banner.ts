// What the overview tells first of the app that the person just came from. Pure.
import { standingIn } from '../course.ts'
import { unhandled } from '../standing.ts'
import { nameOf, type Scene } from './scene.ts'

export type Banner = { kind: 'good' | 'notice' | 'bad'; title: string; text: string }

export function bannerOf(scene: Scene): Banner | undefined {
  const { t, from, known, walk, now } = scene
  const entry = known.find((candidate) => candidate.instance === from)
  if (entry === undefined) return undefined
  const name = nameOf(scene, entry.instance)
  const { kind } = standingIn(walk, entry, now)
  switch (kind) {
    case 'connected':
      return { kind: 'good', title: t.banner.connected(name), text: thenOf(scene) }
    case 'off':
      return { kind: 'notice', title: t.banner.disabled(name), text: t.note.disabled }
    case 'blocked':
      return { kind: 'notice', title: t.banner.blocked(name), text: t.banner.blockedText }
    case 'skipped':
      return { kind: 'notice', title: t.banner.skipped(name), text: t.banner.skippedText }
    case 'unconfirmed':
      return { kind: 'bad', title: t.banner.unconfirmed(name), text: t.banner.unconfirmedText }
    case 'confirming':
    case 'elsewhere':
    case 'todo':
      return undefined
    default:
      return unhandled(kind)
  }
}

function thenOf(scene: Scene): string {
  const { where, opening, t } = scene
  if (where.kind === 'connect') return t.banner.connectedNext(nameOf(scene, where.instance))
  return opening.mood === 'done' ? t.banner.connectedLast : ''
}
