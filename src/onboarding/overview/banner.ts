// What came of the app that the person comes from, as the overview says it first. Pure.
import { isUnavailable } from '../../client-api/app-status.ts'
import type { TextKey } from '../../web/languages/catalogue.ts'
import { isLong, fitTitle } from './entries.ts'
import { findApp, appName, type OverviewModel } from './model.ts'

export function bannerOf(situation: OverviewModel) {
  const { t, where, opening } = situation
  if (situation.isSignedInAgain && where.kind === 'connect')
    return {
      kind: 'notice',
      title: t('banner.signedInAgain'),
      named: '',
      text: t('banner.signedInAgainText'),
    }
  const app = findApp(situation, situation.from)
  if (app === undefined) return undefined
  const { name, standing, entry } = app
  const banner = (kind: string, titles: readonly [TextKey, TextKey], text: string) => ({
    kind,
    ...fitTitle(name, t, titles),
    text,
  })
  if (standing.kind === 'off' && isUnavailable(entry.status))
    return banner('notice', [`banner.${entry.status}`, `status.${entry.status}`], t(`note.${entry.status}`))
  switch (standing.kind) {
    case 'connected': {
      // A page that says that everything is connected need not say it of the last one too.
      if (opening.state === 'done') return undefined
      const next = where.kind === 'connect' ? appName(situation, where.instance) : undefined
      // A long one is read in the title of the card.
      const text = next === undefined || isLong(next) ? '' : t('banner.connectedNext', { app: next })
      return banner('good', ['banner.connected', 'status.connected'], text)
    }
    case 'blocked':
      return banner('notice', ['banner.blocked', 'status.blocked'], t('banner.blockedText'))
    case 'skipped':
      // A page at rest says it of everything that was skipped.
      if (opening.state === 'rest') return undefined
      return banner('notice', ['banner.skipped', 'status.skipped'], t('banner.skippedText'))
    case 'unconfirmed':
      return banner('bad', ['banner.unconfirmed', 'plain.attend'], t('banner.unconfirmedText'))
    default:
      return undefined
  }
}
