// What status prints. Names come from the service, so everything that could act on a terminal is removed. Pure.
import type { Waiting } from '../../client-api/answers.ts'
import { APP_STATUSES, isOff } from '../../client-api/app-status.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import {
  columnsOf,
  fitted,
  painterFor,
  widthOf,
  type Screen,
} from '@onramp/deprecations/command-line/terminal'

export const statusJson = (person: string | undefined, left: readonly Waiting[]): string =>
  `${JSON.stringify({ schema_version: 1, person: person ?? null, left }, undefined, 2)}\n`

const MARGIN = '  '

type Look = { screen: Screen; env: NodeJS.ProcessEnv }

/** Lines that fit on a terminal; --json has whole names. */
export function statusTable(
  person: string | undefined,
  left: readonly Waiting[],
  { screen, env }: Look,
): string {
  const who = person ?? "The token's owner"
  const toConnect = left.filter(({ status }) => !isOff(status)).length
  if (left.length === 0) return `${who} has nothing left to connect.\n`
  const paint = painterFor(screen, env)
  const rows = left.map(({ name, instance, status }) => ({
    name: printable(name),
    instance: printable(instance),
    ...APP_STATUSES[status].terminal,
  }))
  const widest = (column: 'name' | 'instance' | 'text') =>
    Math.max(...rows.map((row) => widthOf(row[column])))
  const room = columnsOf(screen) - widest('text') - 3 * MARGIN.length
  const instances = Math.min(widest('instance'), Math.floor(room / 3))
  const names = Math.min(widest('name'), room - instances)
  const lines = rows.map(({ name, instance, text, colour }) =>
    ['', fitted(name, names), paint.dim(fitted(instance, instances)), paint[colour](text)].join(MARGIN),
  )
  const apps = toConnect === 1 ? '1 app' : `${toConnect} apps`
  const count = toConnect === 0 ? 'nothing left to connect' : `${apps} left to connect`
  return `${paint.bold(`${who}: ${count}`)}\n\n${lines.join('\n')}\n`
}
