// GET /admin/people: one page of the people that match a query, with the state of each. Pure.
import { mayHaveBeenSent, type PersonApp } from '../people/person.ts'
import type { Texts } from '../web/languages/texts.ts'
import { FILTER_GROUPS, peopleUrl, type listPeople, type parsePeopleQuery } from './filters.ts'
import { CRITERIA, type PersonSummary } from './person-summary.ts'

type PeopleQuery = ReturnType<typeof parsePeopleQuery>

const isFiltered = ({ filter, search, app, group }: PeopleQuery): boolean =>
  filter !== 'all' || [search, app, group].some((text) => text !== '')

export function peoplePage(
  { people, page: shown, pages, total, counts }: Awaited<ReturnType<typeof listPeople>>,
  displayName: (app: PersonApp) => string,
  query: PeopleQuery,
  t: Texts,
  keys: readonly string[] = [],
) {
  const app = people[0]?.apps.find(({ instance, lostAs }) => [instance, lostAs].includes(query.app))
  const page = (changes: Partial<PeopleQuery>) => peopleUrl({ ...query, page: 1, ...changes })
  return {
    csv: peopleUrl({ ...query, page: 1 }, '/admin/people.csv'),
    exportLabel: t(isFiltered(query) ? 'admin.exportThese' : 'admin.exportPeople'),
    total,
    none: t(isFiltered(query) ? 'admin.none' : 'admin.noPeople'),
    clear: isFiltered(query) ? '/admin/people' : undefined,
    search: query.search,
    filter: query.filter,
    kinds: (['progress', 'funnel', 'apps', 'emails'] as const).map((kind) => ({
      label: t(`admin.kind.${kind}`),
      filters: FILTER_GROUPS[kind].map((filter) => ({
        filter,
        label: t('admin.option', { name: t(`admin.filter.${filter}`), count: counts[filter] }),
      })),
    })),
    /** Hidden fields of the form, each with a link that removes it. */
    activeFilters: (['app', 'group'] as const)
      .filter((name) => query[name] !== '')
      .map((name) => ({
        name,
        value: query[name],
        label: t(`admin.only.${name}`, {
          name: name === 'app' && app ? displayName({ ...app, instance: query.app }) : query[name],
        }),
        without: page({ [name]: '' }),
      })),
    people: people.map((summary, index) => ({ ...personRow(summary, displayName, t), key: keys[index] })),
    page: shown,
    pages,
    previous: shown > 1 ? page({ page: shown - 1 }) : undefined,
    next: shown < pages ? page({ page: shown + 1 }) : undefined,
  }
}

const MAX_LEFT = 6
const NOTES = ['deferred', 'failed', 'uncertain', 'optedOut'] as const

function personRow(summary: PersonSummary, displayName: (app: PersonApp) => string, t: Texts) {
  const { person, apps, checkedAt, emails } = summary
  const lastEmailAt = Math.max(...emails.filter(mayHaveBeenSent).map((email) => email.at))
  const dateOf = (at: number | undefined) => at && { iso: new Date(at).toISOString(), text: t.date(at) }
  const availableApps = apps.filter(({ state }) => state !== 'off')
  const unconnectedApps = availableApps.filter(({ state }) => state !== 'connected')
  const leftTexts = unconnectedApps.map((app) => unconnectedText(app, displayName, t))
  const { stage, at } = latestStage(summary)
  return {
    name: person.name ?? '',
    email: person.email,
    group: person.group ?? '',
    stage: t(`admin.stage.${stage}`),
    since: dateOf(at),
    // The invitation has its time already.
    lastEmail:
      lastEmailAt > 0 && lastEmailAt !== at ? t('admin.lastEmail', { day: t.date(lastEmailAt) }) : '',
    notes: NOTES.filter((note) => CRITERIA[note](summary)).map((note) => t(`admin.person.${note}`)),
    done:
      checkedAt === undefined || availableApps.length === 0
        ? '–'
        : t('admin.person.done', {
            connected: availableApps.length - unconnectedApps.length,
            total: availableApps.length,
          }),
    left: t.list(leftTexts.slice(0, MAX_LEFT)),
    more: leftTexts.length > MAX_LEFT ? t('admin.person.more', { count: leftTexts.length - MAX_LEFT }) : '',
    asOf: dateOf(checkedAt),
  }
}

function unconnectedText(app: PersonApp, displayName: (app: PersonApp) => string, t: Texts): string {
  const { state, isUnconfirmed, lapsedAt, lostAs } = app
  const name = displayName(app)
  if (isUnconfirmed) return t('admin.person.unconfirmed', { app: name })
  if (state === 'blocked') return t('admin.person.blocked', { app: name })
  if (lapsedAt === undefined) return state === 'skipped' ? t('admin.person.skipped', { app: name }) : name
  if (lostAs === undefined) return t('admin.person.lapsed', { app: name, day: t.date(lapsedAt) })
  const former = displayName({ ...app, instance: lostAs })
  return t('admin.person.lapsedMoved', { app: name, former, day: t.date(lapsedAt) })
}

/** @returns milliseconds since 1970; undefined unless the person lost access */
const lostAccessAt = ({ apps, progress }: PersonSummary): number | undefined =>
  progress === 'fellBack' ? Math.min(...apps.flatMap(({ lapsedAt }) => lapsedAt ?? [])) : undefined

/** The stage that a person has reached, and its time. */
function latestStage(summary: PersonSummary) {
  const { signedInAt, openedAt, leftAt, unknownAt } = summary.person
  const stages = [
    { stage: 'gone', at: leftAt ?? unknownAt },
    { stage: 'fellBack', at: lostAccessAt(summary) },
    { stage: 'finished', at: CRITERIA.finished(summary) ? summary.lastFinishedAt : undefined },
    { stage: 'nothing', at: CRITERIA.nothing(summary) ? summary.checkedAt : undefined },
    { stage: 'signedIn', at: signedInAt },
    { stage: 'opened', at: openedAt },
    { stage: 'invited', at: summary.invitedAt },
  ] as const
  return stages.find(({ at }) => at !== undefined) ?? ({ stage: 'known', at: undefined } as const)
}
