// People as CSV, a few at a time. It begins with a byte order mark, without which Excel does not read it as UTF-8.
import { mayHaveBeenSent, type PersonApp, type PersonAppState } from '../people/person.ts'
import { writeCsv } from '../people/csv.ts'
import { FACTS, type Profile } from './profile.ts'

const date = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

/** The app under the name that the list gives it. */
type Named = (app: PersonApp) => PersonApp

const namesOf = (fits: (app: PersonApp) => boolean) => (profile: Profile, named: Named) =>
  profile.apps
    .filter(fits)
    .map((app) => `${named(app).name} [${app.instance}]`)
    .join('; ')

const namesIn = (state: PersonAppState) => namesOf((app) => app.state === state)

const COLUMNS: Record<string, (profile: Profile, named: Named) => string | number> = {
  email: ({ person }) => person.email,
  name: ({ person }) => person.name ?? '',
  language: ({ person }) => person.language ?? '',
  group: ({ person }) => person.group ?? '',
  timezone: ({ person }) => person.timezone ?? '',
  invited: ({ invitedAt }) => date(invitedAt),
  mails: ({ mailings }) => mailings.filter(mayHaveBeenSent).length,
  mail: ({ mail }) => mail ?? '',
  uncertain: (profile) => (FACTS.uncertain(profile) ? 'yes' : ''),
  opened: ({ person }) => date(person.openedAt),
  signed_in: ({ person }) => date(person.signedInAt),
  finished: ({ finishedAt }) => date(finishedAt),
  opted_out: ({ person }) => date(person.optedOutAt),
  unknown_to_service: ({ person }) => date(person.unknownAt),
  no_longer_on_list: ({ person }) => date(person.leftAt),
  connected: namesIn('connected'),
  waiting: namesIn('waiting'),
  not_now: namesIn('skipped'),
  waiting_for_administrator: namesIn('blocked'),
  switched_off: namesIn('off'),
  access_ended: namesOf(({ lapsedAt }) => lapsedAt !== undefined),
  as_of: ({ checkedAt }) => date(checkedAt),
}

async function* rowsOf(all: AsyncIterable<Profile>, named: Named) {
  for await (const profile of all) yield Object.values(COLUMNS).map((cellOf) => cellOf(profile, named))
}

/** @param named the service's names where it is not given */
export async function* peopleCsv(
  all: AsyncIterable<Profile>,
  named: Named = (app) => app,
): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* writeCsv(rowsOf(all, named), Object.keys(COLUMNS))
}
