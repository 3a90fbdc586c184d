// Arguments that several commands of `invite` read.
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import { addressToInvite } from '../../people/address.ts'

const MAX_DATASOURCES = 20
const MAX_CHARACTERS = 200
/** Of all together: they are in the link, which is in one line of the email's header (RFC 5322 2.1.1: 998). */
const MAX_IN_A_LINK = 300

/** `--datasource`, any number of times. @throws {UsageError} */
export function datasourcesFrom(ids: readonly string[] = []): string[] {
  if (ids.length > MAX_DATASOURCES)
    throw new UsageError(`--datasource can be repeated at most ${MAX_DATASOURCES} times`)
  if (ids.some((id) => id.length > MAX_CHARACTERS || /\p{Cc}/u.test(id)))
    throw new UsageError('--datasource expects an identifier like slack_1')
  if (ids.join('').length > MAX_IN_A_LINK) throw new UsageError('too many --datasource options for one link')
  return [...ids]
}

/** The one address that a command takes, normalized. @throws {UsageError} */
export function addressFrom([address]: readonly string[]): string {
  if (address === undefined) throw new UsageError('expected one email address')
  const email = addressToInvite(address)
  if (email === undefined)
    throw new UsageError('not a valid email address; expected something like ada@acme.example')
  return email
}
