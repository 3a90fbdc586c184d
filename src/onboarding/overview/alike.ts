// Apps with one name, told apart by a number that only this page knows: what a card says so that a person connects each
// of them to an account of its own. Pure.
import { figureOf } from '../standing.ts'
import type { App } from './entries.ts'
import type { Scene } from './scene.ts'

const isChosen = ({ standing: { kind } }: App): boolean => kind === 'connected' || kind === 'confirming'

/** Was an account chosen already for an app of the same name? Then the usual advice would lead to it again. */
export const hasChosenTwin = ({ apps }: Scene, instance: string | undefined): boolean => {
  const mine = apps.find(({ entry }) => entry.instance === instance)
  return apps.some((app) => app !== mine && app.short === mine?.short && isChosen(app))
}

/** Which account to choose for an app that shares its name; undefined: there is no other to mix it up with. */
export function accountOf({ apps, t }: Scene, { entry, short }: App): string | undefined {
  const alike = apps.filter((app) => app.short === short && app.name !== short)
  const others = alike.filter((app) => app.entry.instance !== entry.instance)
  const chosen = others.filter(isChosen)
  if (chosen.length > 0) return t('next.alikeOther', { apps: t.list(chosen.map(({ name }) => name)) })
  const isLeft = others.some(({ standing }) => figureOf(standing) === 'pending')
  return isLeft ? t('next.alike', { app: short, count: alike.length }) : undefined
}
