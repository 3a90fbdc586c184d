// People as CSV, a few at a time. It begins with a byte order mark, without which Excel does not read it as UTF-8.
import { isOut, type Person, type Source, type SourceState } from '../people/person.ts'
import { writeCsv } from '../people/csv.ts'
import { FACTS, invitedAt, mailsOf, mailStateOf } from './facts.ts'

const date = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

/** The app under the name that the list gives it. */
type Named = (source: Source) => Source

const namesIn = (state: SourceState) => (arrival: Person, named: Named) =>
  arrival.sources
    .filter((source) => source.state === state)
    .map((source) => `${named(source).name} [${source.instance}]`)
    .join('; ')

const COLUMNS: Record<string, (arrival: Person, named: Named) => string | number> = {
  email: ({ email }) => email,
  name: ({ name }) => name ?? '',
  language: ({ language }) => language ?? '',
  group: ({ group }) => group ?? '',
  invited: (arrival) => date(invitedAt(arrival)),
  mails: (arrival) => mailsOf(arrival).filter(isOut).length,
  mail: (arrival) => mailStateOf(arrival) ?? '',
  uncertain: (arrival) => (FACTS.uncertain(arrival) ? 'yes' : ''),
  opened: ({ openedAt }) => date(openedAt),
  signed_in: ({ signedInAt }) => date(signedInAt),
  finished: ({ finishedAt }) => date(finishedAt),
  opted_out: ({ optedOutAt }) => date(optedOutAt),
  unknown_to_service: ({ unknownAt }) => date(unknownAt),
  connected: namesIn('connected'),
  waiting: namesIn('waiting'),
  not_now: namesIn('skipped'),
  waiting_for_administrator: namesIn('blocked'),
  switched_off: namesIn('off'),
  as_of: ({ asOf }) => date(asOf),
}

async function* rowsOf(all: AsyncIterable<Person>, named: Named) {
  for await (const arrival of all) yield Object.values(COLUMNS).map((cellOf) => cellOf(arrival, named))
}

/** @param named the service's names where it is not given */
export async function* peopleCsv(
  all: AsyncIterable<Person>,
  named: Named = (source) => source,
): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* writeCsv(rowsOf(all, named), Object.keys(COLUMNS))
}
