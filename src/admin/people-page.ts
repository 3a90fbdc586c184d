// What the list of people, and the page that emails them, show. Pure.
import type { Texts } from '../web/languages/texts.ts'
import { CRITERIA, type PersonSummary } from './person-summary.ts'
import { FILTER_GROUPS, isFiltered, toQueryString, type PeopleQuery } from './filters.ts'
import { latestStage, type listPeople } from './people-list.ts'

const KINDS = ['progress', 'apps', 'emails'] as const

type List = Awaited<ReturnType<typeof listPeople>>

export function peoplePage({ people, hasMore, total, counts }: List, wanted: PeopleQuery, t: Texts) {
  const last = people.at(-1)
  const app = people[0]?.apps.find(({ instance }) => instance === wanted.app)?.name
  const page = (after: string) => `/admin/people?${toQueryString({ ...wanted, after })}`
  return {
    csv: `/admin/people.csv?${toQueryString({ ...wanted, after: '' })}`,
    exportLabel: t(isFiltered(wanted) ? 'admin.exportThese' : 'admin.exportPeople'),
    total,
    /** What is shown where no one is: no one fits, or no one is on record. */
    none: t(isFiltered(wanted) ? 'admin.none' : 'admin.noPeople'),
    clear: isFiltered(wanted) ? '/admin/people' : undefined,
    search: wanted.search,
    filter: wanted.filter,
    kinds: KINDS.map((kind) => ({
      label: t(`admin.kind.${kind}`),
      filters: FILTER_GROUPS[kind].map((filter) => ({
        filter,
        label: t('admin.option', { name: t(`admin.filter.${filter}`), count: counts[filter] }),
      })),
    })),
    /** Kept by the form, taken away by a link. */
    kept: (['app', 'group'] as const)
      .filter((name) => wanted[name] !== '')
      .map((name) => ({
        name,
        value: wanted[name],
        label: t(`admin.only.${name}`, { name: (name === 'app' ? app : undefined) ?? wanted[name] }),
        without: `/admin/people?${toQueryString({ ...wanted, [name]: '', after: '' })}`,
      })),
    people: people.map((summary) => rowOf(summary, t)),
    first: wanted.after === '' ? undefined : page(''),
    next: hasMore && last !== undefined ? page(last.person.email) : undefined,
  }
}

/** The export names the others. */
const MAX_LEFT = 6

function rowOf(summary: PersonSummary, t: Texts) {
  const { email, group = '' } = summary.person
  const dayOf = (at: number | undefined) =>
    at === undefined ? undefined : { iso: new Date(at).toISOString(), text: t.date(at) }
  const own = summary.apps.filter(({ state }) => state !== 'off')
  const open = own.filter(({ state }) => state !== 'connected')
  const { stage, at } = latestStage(summary)
  const { reminder } = summary
  const leftWords = ({ name: app, state, isUnconfirmed, lapsedAt }: (typeof open)[number]) => {
    if (isUnconfirmed) return t('admin.person.unconfirmed', { app })
    if (state === 'blocked') return t('admin.person.blocked', { app })
    if (lapsedAt !== undefined) return t('admin.person.lapsed', { app, day: t.date(lapsedAt) })
    return state === 'skipped' ? t('admin.person.skipped', { app }) : app
  }
  const left = open.map(leftWords)
  return {
    email,
    group,
    stage: t(`admin.stage.${stage}`),
    since: dayOf(at),
    // Not one from before: it would read as if it hadn't worked.
    reminded:
      reminder && reminder.at >= (at ?? 0) ? t('admin.person.reminded', { day: t.date(reminder.at) }) : '',
    notes: notesOf(summary, t),
    done:
      summary.checkedAt === undefined || own.length === 0
        ? '–'
        : t('admin.person.done', { connected: own.length - open.length, total: own.length }),
    left: t.list(left.slice(0, MAX_LEFT)),
    more: left.length > MAX_LEFT ? t('admin.person.more', { count: left.length - MAX_LEFT }) : '',
    asOf: dayOf(summary.checkedAt),
  }
}

function notesOf(summary: PersonSummary, t: Texts): string[] {
  const { mail } = summary
  return [
    ...(mail === 'deferred' || mail === 'failed' ? [t(`admin.person.${mail}`)] : []),
    ...(CRITERIA.uncertain(summary) ? [t('admin.person.uncertain')] : []),
    ...(CRITERIA.optedOut(summary) ? [t('admin.person.optedOut')] : []),
  ]
}
