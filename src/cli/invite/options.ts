// Options that `invite link` and `invite send` share: the datasources that a link is narrowed to.
import { UsageError } from '@onramp/deprecations/command-line/arguments'

const MAX_DATASOURCES = 20
const MAX_CHARACTERS = 200
/** Of all together: they stand in the link, and that in a line of the mail's header (RFC 5322 2.1.1: 998). */
const MAX_IN_A_LINK = 300

/** `--datasource`, any number of times. @throws {UsageError} */
export function datasourcesFrom(ids: readonly string[] = []): string[] {
  if (ids.length > MAX_DATASOURCES)
    throw new UsageError(`--datasource may be given ${MAX_DATASOURCES} times at most`)
  if (ids.some((id) => id.length > MAX_CHARACTERS || /\p{Cc}/u.test(id)))
    throw new UsageError('--datasource takes an identifier like slack_1')
  if (ids.join('').length > MAX_IN_A_LINK)
    throw new UsageError('these are too many --datasource for one link')
  return [...ids]
}
