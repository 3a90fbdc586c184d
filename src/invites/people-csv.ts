// Everybody as CSV, a line at a time. Pure.
import type { Arrival, Source, SourceState } from './arrival.ts'
import { csvLine } from './csv.ts'
import { invitedAt, isUncertainFor, mailsOf } from './report.ts'

const HEADER = [
  'email',
  'invited',
  'mails',
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
    .map(({ name }) => name)
    .join('; ')

const lineOf = (arrival: Arrival): string => {
  const { email, sources } = arrival
  return csvLine([
    email,
    date(invitedAt(arrival)),
    mailsOf(arrival).length,
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
  ])
}

export async function* peopleCsv(all: AsyncIterable<Arrival>): AsyncGenerator<string> {
  yield csvLine(HEADER)
  for await (const arrival of all) yield lineOf(arrival)
}
