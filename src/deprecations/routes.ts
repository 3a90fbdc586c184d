// Serves the deprecation schedule as a page, JSON and a calendar. It is public, so it needs no sign-in.
import { Router, type Request } from 'express'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import type { SendPage } from '../web/pages.ts'
import {
  dayOf,
  groupByRemoval,
  listEntries,
  listJson,
  operationOf,
  publishedSchedule,
  remarksOf,
  selectEntries,
  toCalendar,
} from '@onramp/deprecations'
import type { ListedEntry } from '@onramp/deprecations'
import type { Texts } from '../web/languages/texts.ts'

/** The page's form sends '' for all. */
const APIS = new Set<unknown>([undefined, '', 'client', 'indexing'])
const MAX_QUERY = 200
const FOR_FIVE_MINUTES = 'public, max-age=300'

const textIn = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_QUERY) : undefined

/** `GET /deprecations`, `.json` and `.ics`, each with `?api=client|indexing&operation=PIECE`. */
export function createDeprecationsRoutes(
  sendPage: SendPage,
  now: () => number,
  schedule = publishedSchedule,
) {
  const router = Router()
  const operations = [...new Set(schedule.map(operationOf))].sort()
  let day = { asOf: '', entries: [] as ListedEntry[], made: new Map<string, unknown>() }
  const choose = ({ query }: Request) => {
    const asOf = dayOf(new Date(now()))
    if (asOf !== day.asOf) day = { asOf, entries: listEntries(schedule, asOf), made: new Map() }
    const choice = omitUndefined({ api: textIn(query.api), operation: textIn(query.operation) })
    return { choice, asOf, entries: selectEntries(day.entries, choice) }
  }
  /** Refuses an unknown API, because a program would take an empty list for an empty schedule. */
  const chooseForProgram = (req: Request) => {
    if (!APIS.has(req.query.api)) throw new Problem(400, 'api_unknown')
    return choose(req)
  }
  /** Caches by day, because strangers have no limit here, and by entries, because many queries choose few lists. */
  const makeOnce = <T>(kind: string, entries: readonly ListedEntry[], make: () => T): T => {
    const key = [kind, ...entries.map(({ id }) => id)].join(' ')
    if (!day.made.has(key)) day.made.set(key, make())
    return day.made.get(key) as T
  }

  router.get('/deprecations', (req, res) => {
    const { choice, asOf, entries } = choose(req)
    const query = new URLSearchParams(choice).toString()

    sendPage(req, res, {
      view: 'deprecations/schedule',
      sheet: 'schedule',
      data: (t) => ({
        ...makeOnce(`page ${t.lang}`, entries, () => scheduleView(entries, asOf, t)),
        operations,
        api: choice.api ?? '',
        operation: choice.operation ?? '',
        query: query && `?${query}`,
      }),
    })
  })

  router.get('/deprecations.json', (req, res) => {
    const { asOf, entries } = chooseForProgram(req)

    const list = makeOnce('json', entries, () => JSON.stringify(listJson(entries, asOf)))
    res.set('Cache-Control', FOR_FIVE_MINUTES).type('json').send(list)
  })

  router.get('/deprecations.ics', (req, res) => {
    const { entries } = chooseForProgram(req)

    res.set('Cache-Control', FOR_FIVE_MINUTES)
    res.set('Content-Disposition', 'inline; filename="deprecations.ics"')
    res.type('text/calendar; charset=utf-8').send(makeOnce('ics', entries, () => toCalendar(entries)))
  })

  return router
}

/** Pieces between which a line may break: after `/`, `.` and `_`, and before capitals in a long name. */
const piecesOf = (text: string): string[] =>
  text
    .split(/(?<=[/._])(?=[^\s/._])/)
    .flatMap((piece) => (/\w{20}/.test(piece) ? piece.split(/(?<=[a-z\d])(?=[A-Z])/) : [piece]))

function itemName(entry: ListedEntry, t: Texts): string {
  if (entry.kind === 'endpoint') return t('deprecations.endpoint')
  const { field, place } = entry
  const where = { field, place: t(`deprecations.place.${place.in}`) }
  return t(place.depth === 'top' ? 'deprecations.fieldAtTop' : 'deprecations.field', where)
}

function replacementText(entry: ListedEntry, t: Texts): string {
  const { replacement, advice } = entry
  const text =
    replacement === undefined
      ? (advice ?? t('deprecations.noReplacement'))
      : t('deprecations.use', { replacement })
  return text.charAt(0).toUpperCase() + text.slice(1) + remarksOf(entry)
}

const remainingTime = ({ state, daysLeft, fixBy }: ListedEntry['status'], t: Texts): string =>
  state === 'removed'
    ? t('deprecations.removed', { count: -daysLeft })
    : t('deprecations.left', { count: daysLeft, day: fixBy })

function scheduleView(entries: readonly ListedEntry[], asOf: string, t: Texts) {
  const days = groupByRemoval(entries).map(({ removal, removed, operations }) => ({
    removal,
    removed,
    remaining: operations[0]?.items[0] === undefined ? '' : remainingTime(operations[0].items[0].status, t),
    anchor: `removal-${removal}`,
    operations: operations.map(({ operation, items }) => ({
      operation: piecesOf(operation),
      items: items.map((item) => ({
        anchor: `item-${item.id.replaceAll('.', '-')}`,
        name: piecesOf(itemName(item, t)),
        instead: piecesOf(replacementText(item, t)),
        announced: item.announced,
      })),
    })),
  }))
  const pastDays = days.filter(({ removed }) => removed)
  return {
    title: t('deprecations.title'),
    asOf,
    count: entries.length,
    days: days.filter(({ removed }) => !removed),
    gone: pastDays,
    goneCount: pastDays.flatMap(({ operations }) => operations.flatMap(({ items }) => items)).length,
  }
}
