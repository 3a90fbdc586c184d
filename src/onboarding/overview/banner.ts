// The result of the app that the person comes from: the first thing on the overview. Pure.
import { isUnavailable } from '../../client-api/app-status.ts'
import type { TextKey } from '../../web/languages/catalogue.ts'
import { isLong, fitTitle } from './entries.ts'
import { approvalDate, findApp, appName, type OverviewModel } from './model.ts'

export function bannerOf(model: OverviewModel) {
  const { t, next, headline } = model
  const again = { title: t('banner.signedInAgain'), named: '', text: t('banner.signedInAgainText') }
  if (model.isSignedInAgain && next.kind === 'connect') return { kind: 'notice', ...again }
  const app = findApp(model, model.from)
  if (app === undefined) return undefined
  const { name, state, entry } = app
  const banner = (kind: string, titles: readonly [TextKey, TextKey], text: string) => {
    return { kind, ...fitTitle(name, t, titles), text }
  }
  if (state.kind === 'off' && isUnavailable(entry.status))
    return banner('notice', [`banner.${entry.status}`, `status.${entry.status}`], t(`note.${entry.status}`))
  switch (state.kind) {
    case 'connected': {
      // The headline says that everything is connected.
      if (headline.state === 'done') return undefined
      const nextName = next.kind === 'connect' ? appName(model, next.instance) : undefined
      const text =
        nextName === undefined || isLong(nextName) ? '' : t('banner.connectedNext', { app: nextName })
      return banner('good', ['banner.connected', 'status.connected'], text)
    }
    case 'blocked':
      // The row says that the person can connect it.
      if (approvalDate(model, app) !== undefined) return undefined
      return banner('notice', ['banner.blocked', 'status.blocked'], t('banner.blockedText'))
    case 'skipped':
      // The headline counts everything that was skipped.
      if (headline.state === 'rest') return undefined
      return banner('notice', ['banner.skipped', 'status.skipped'], t('banner.skippedText'))
    case 'unconfirmed':
      return banner('bad', ['banner.unconfirmed', 'plain.attend'], t('banner.unconfirmedText'))
    default:
      return undefined
  }
}
