// What came of the app that the person comes from, as the overview says it first. Pure.
import { isOff } from '../../client-api/app-status.ts'
import { titled } from './entries.ts'
import { appIn, nameIn, type Scene } from './scene.ts'

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
      // A page that says that everything is connected need not say it of the last one too.
      if (opening.mood === 'done') return undefined
      const text =
        where.kind === 'connect' ? t('banner.connectedNext', { app: nameIn(scene, where.instance) }) : ''
      return { kind: 'good', title: t('banner.connected', { app: name }), text }
    }
    case 'blocked':
      return { kind: 'notice', title: t('banner.blocked', { app: name }), text: t('banner.blockedText') }
    case 'skipped': {
      // A page at rest says it of everything that was skipped.
      const text = opening.mood === 'rest' ? '' : t('banner.skippedText')
      return { kind: 'notice', title: t('banner.skipped', { app: name }), text }
    }
    case 'unconfirmed':
      return {
        kind: 'bad',
        ...titled(name, t, ['banner.unconfirmed', 'plain.attend']),
        text: t('banner.unconfirmedText'),
      }
    default:
      return undefined
  }
}
