// People as CSV, a few at a time. What surprises: it begins with a byte order mark, without which Excel takes UTF-8 for
// something else.
import { isOut, type Arrival, type Source, type SourceState } from '../arrivals/arrival.ts'
import { writeCsv } from '../arrivals/csv.ts'
import { invitedAt, isUncertainFor, mailsOf, mailStateOf } from './report.ts'

const HEADER = [
  'email',
  'group',
  'invited',
  'mails',
  'mail',
  'uncertain',
  'opened',
  'signed_in',
  'finished',
  'opted_out',
  'connected',
  'waiting',
  'not_now',
  'waiting_for_administrator',
  'switched_off',
  'as_of',
]

const date = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

const namesIn = (sources: readonly Source[], state: SourceState): string =>
  sources
    .filter((source) => source.state === state)
    .map(({ name, instance }) => `${name} [${instance}]`)
    .join('; ')

const cellsOf = (arrival: Arrival): (string | number)[] => {
  const { email, sources } = arrival
  return [
    email,
    arrival.group ?? '',
    date(invitedAt(arrival)),
    mailsOf(arrival).filter(isOut).length,
    mailStateOf(arrival) ?? '',
    isUncertainFor(arrival) ? 'yes' : '',
    date(arrival.openedAt),
    date(arrival.signedInAt),
    date(arrival.finishedAt),
    date(arrival.optedOutAt),
    namesIn(sources, 'connected'),
    namesIn(sources, 'waiting'),
    namesIn(sources, 'skipped'),
    namesIn(sources, 'blocked'),
    namesIn(sources, 'off'),
    date(arrival.asOf),
  ]
}

async function* rowsOf(all: AsyncIterable<Arrival>) {
  for await (const arrival of all) yield cellsOf(arrival)
}

export async function* peopleCsv(all: AsyncIterable<Arrival>): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* writeCsv(rowsOf(all), HEADER)
}
