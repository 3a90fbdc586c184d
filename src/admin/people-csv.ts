// Streams people as CSV. Excel reads UTF-8 only after a byte order mark.
import { LIST_COLUMNS, mayHaveBeenSent, type PersonApp } from '../people/person.ts'
import { writeCsv } from '../people/csv.ts'
import { CRITERIA, type PersonSummary } from './person-summary.ts'
import { isoTime } from './report.ts'

/** The name of the download. `onramp invite send` reads its column "email". */
export const PEOPLE_FILE = 'onramp-people.csv'

const time = (at: number | undefined) => isoTime(at) ?? ''

type NameApp = (app: PersonApp) => PersonApp

const namesOf = (fits: (app: PersonApp) => boolean) => (summary: PersonSummary, nameApp: NameApp) =>
  summary.apps
    .filter(fits)
    .map((app) => `${nameApp(app).name} [${app.instance}]`)
    .join('; ')

const namesInState = (state: PersonApp['state']) => namesOf((app) => app.state === state)

const COLUMNS: Record<string, (summary: PersonSummary, nameApp: NameApp) => string | number> = {
  email: ({ person }) => person.email,
  ...Object.fromEntries(
    LIST_COLUMNS.map((detail) => [detail, ({ person }: PersonSummary) => person[detail] ?? '']),
  ),
  invited: ({ invitedAt }) => time(invitedAt),
  mails: ({ emails }) => emails.filter(mayHaveBeenSent).length,
  mail: ({ emailState }) => emailState ?? '',
  uncertain: (summary) => (CRITERIA.uncertain(summary) ? 'yes' : ''),
  opened: ({ person }) => time(person.openedAt),
  signed_in: ({ person }) => time(person.signedInAt),
  finished: ({ finishedAt }) => time(finishedAt),
  opted_out: ({ person }) => time(person.optedOutAt),
  unknown_to_service: ({ person }) => time(person.unknownAt),
  no_longer_on_list: ({ person }) => time(person.leftAt),
  connected: namesInState('connected'),
  waiting: namesInState('unconnected'),
  not_now: namesInState('skipped'),
  waiting_for_administrator: namesInState('blocked'),
  switched_off: namesInState('off'),
  access_ended: namesOf(({ lapsedAt }) => lapsedAt !== undefined),
  as_of: ({ checkedAt }) => time(checkedAt),
}

/** @param isFound default: everyone */
export async function* peopleCsv(
  summaries: AsyncIterable<PersonSummary>,
  nameApp: NameApp = (app) => app,
  isFound: (summary: PersonSummary) => boolean = () => true,
): AsyncGenerator<string> {
  async function* rows() {
    for await (const summary of summaries)
      if (isFound(summary)) yield Object.values(COLUMNS).map((cell) => cell(summary, nameApp))
  }
  yield '\uFEFF'
  yield* writeCsv(rows(), Object.keys(COLUMNS))
}
