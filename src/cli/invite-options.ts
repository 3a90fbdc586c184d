// Options that `invite link` and `invite send` share: the datasources that a link is narrowed to.
import { UsageError } from './arguments.ts'

const MOST_DATASOURCES = 20
const MOST_CHARACTERS = 200

/** `--datasource`, any number of times. @throws {UsageError} */
export function datasourcesFrom(ids: readonly string[] = []): string[] {
  if (ids.length > MOST_DATASOURCES)
    throw new UsageError(`--datasource may be given ${MOST_DATASOURCES} times at most`)
  if (ids.some((id) => id.length > MOST_CHARACTERS || /\p{Cc}/u.test(id)))
    throw new UsageError('--datasource takes an identifier like slack_1')
  return [...ids]
}
