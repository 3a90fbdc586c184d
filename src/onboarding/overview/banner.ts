// What came of the app that the person comes from, as the overview says it first. Pure.
import { isOff } from '../../client-api/app-status.ts'
import { isLong, titled } from './entries.ts'
import { appIn, nameIn, type Situation } from './situation.ts'

export function bannerOf(situation: Situation) {
  const { t, where, opening } = situation
  if (situation.isSignedInAgain && where.kind === 'connect')
    return {
      kind: 'notice',
      title: t('banner.signedInAgain'),
      named: '',
      text: t('banner.signedInAgainText'),
    }
  const app = appIn(situation, situation.from)
  if (app === undefined) return undefined
  const { name, standing, entry } = app
  if (standing.kind === 'off' && isOff(entry.status))
    return {
      kind: 'notice',
      ...titled(name, t, [`banner.${entry.status}`, `status.${entry.status}`]),
      text: t(`note.${entry.status}`),
    }
  switch (standing.kind) {
    case 'connected': {
      // A page that says that everything is connected need not say it of the last one too.
      if (opening.state === 'done') return undefined
      const next = where.kind === 'connect' ? nameIn(situation, where.instance) : undefined
      // A long one is read in the title of the card.
      const text = next === undefined || isLong(next) ? '' : t('banner.connectedNext', { app: next })
      return { kind: 'good', ...titled(name, t, ['banner.connected', 'status.connected']), text }
    }
    case 'blocked':
      return {
        kind: 'notice',
        ...titled(name, t, ['banner.blocked', 'status.blocked']),
        text: t('banner.blockedText'),
      }
    case 'skipped':
      // A page at rest says it of everything that was skipped.
      if (opening.state === 'rest') return undefined
      return {
        kind: 'notice',
        ...titled(name, t, ['banner.skipped', 'status.skipped']),
        text: t('banner.skippedText'),
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
