// What the list of people, and the page that emails them, show. Pure.
import type { Texts } from '../web/languages/texts.ts'
import { FACTS, type Profile } from './profile.ts'
import { FILTERS_BY_KIND, isNarrowed, queryOf, type Wanted } from './filters.ts'
import { stageOf, type Addresses, type listPeople } from './people-list.ts'
import { ACTION, PEOPLE_FILE, REMIND_AFTER_DAYS, reminderFor } from './reminder.ts'

const KINDS = ['progress', 'apps', 'emails'] as const

type List = Awaited<ReturnType<typeof listPeople>>

export function peopleOf({ people, hasMore, total, counts }: List, wanted: Wanted, t: Texts) {
  const last = people.at(-1)
  const app = people[0]?.apps.find(({ instance }) => instance === wanted.app)?.name
  const page = (after: string) => `/admin/people?${queryOf({ ...wanted, after })}`
  return {
    ...namesOf(wanted, t),
    total,
    /** What is shown where no one is: no one fits, or no one is on record. */
    none: t(isNarrowed(wanted) ? 'admin.none' : 'admin.noPeople'),
    clear: isNarrowed(wanted) ? '/admin/people' : undefined,
    search: wanted.search,
    filter: wanted.filter,
    kinds: KINDS.map((kind) => ({
      label: t(`admin.kind.${kind}`),
      filters: FILTERS_BY_KIND[kind].map((filter) => ({
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
        without: `/admin/people?${queryOf({ ...wanted, [name]: '', after: '' })}`,
      })),
    people: people.map((profile) => rowOf(profile, t)),
    first: wanted.after === '' ? undefined : page(''),
    next: hasMore && last !== undefined ? page(last.person.email) : undefined,
    emails: `/admin/people/emails?${queryOf({ ...wanted, after: '' })}`,
  }
}

const namesOf = (wanted: Wanted, t: Texts) => ({
  csv: `/admin/people.csv?${queryOf({ ...wanted, after: '' })}`,
  exportLabel: t(isNarrowed(wanted) ? 'admin.exportThese' : 'admin.exportPeople'),
})

/** @param app its name */
type Named = Omit<Addresses, 'apps'> & { app: string | undefined }

export function emailsOf(
  { emails, total, optedOut, held, due, later, app }: Named,
  wanted: Wanted,
  t: Texts,
) {
  return {
    ...namesOf(wanted, t),
    file: PEOPLE_FILE,
    about: [
      t(`admin.filter.${wanted.filter}`),
      ...(wanted.app === '' ? [] : [t('admin.only.app', { name: app ?? wanted.app })]),
      ...(wanted.group === '' ? [] : [t('admin.only.group', { name: wanted.group })]),
      ...(wanted.search === '' ? [] : [t('admin.only.search', { text: wanted.search })]),
    ],
    back: `/admin/people?${queryOf({ ...wanted, after: '' })}`,
    total,
    optedOut,
    held,
    addresses: emails.join('\n'),
    shown: emails.length,
    command: reminderFor(wanted),
    due: ACTION[wanted.filter] === 'remind' ? dueIn(due, total, later, t) : [],
    days: REMIND_AFTER_DAYS,
  }
}

const dueIn = (due: number, total: number, { count, from }: Addresses['later'], t: Texts): string[] => [
  t('admin.emails.due', { due, total }),
  ...(count === 0 ? [] : [t('admin.remindersDue', { count, day: t.day(from) })]),
]

/** The export names the others. */
const MAX_LEFT = 6

function rowOf(profile: Profile, t: Texts) {
  const { email, group = '' } = profile.person
  const dayOf = (at: number | undefined) =>
    at === undefined ? undefined : { iso: new Date(at).toISOString(), text: t.date(at) }
  const own = profile.apps.filter(({ state }) => state !== 'off')
  const open = own.filter(({ state }) => state !== 'connected')
  const { stage, at } = stageOf(profile)
  const { reminder } = profile
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
    notes: notesOf(profile, t),
    done:
      profile.checkedAt === undefined || own.length === 0
        ? '–'
        : t('admin.person.done', { connected: own.length - open.length, total: own.length }),
    left: t.list(left.slice(0, MAX_LEFT)),
    more: left.length > MAX_LEFT ? t('admin.person.more', { count: left.length - MAX_LEFT }) : '',
    asOf: dayOf(profile.checkedAt),
  }
}

function notesOf(profile: Profile, t: Texts): string[] {
  const { mail } = profile
  return [
    ...(mail === 'deferred' || mail === 'failed' ? [t(`admin.person.${mail}`)] : []),
    ...(FACTS.uncertain(profile) ? [t('admin.person.uncertain')] : []),
    ...(FACTS.optedOut(profile) ? [t('admin.person.optedOut')] : []),
  ]
}
