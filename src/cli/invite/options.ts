// Arguments that several commands of `invite` read.
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import { addressToInvite } from '../../arrivals/address.ts'

const MAX_DATASOURCES = 20
const MAX_CHARACTERS = 200
/** Of all together: they are in the link, which is in one line of the email's header (RFC 5322 2.1.1: 998). */
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

/** The one address that a command takes, normalized. @throws {UsageError} */
export function addressFrom([address]: readonly string[]): string {
  if (address === undefined) throw new UsageError('it takes one address')
  const email = addressToInvite(address)
  if (email === undefined) throw new UsageError('this is not one plain email address like ada@acme.example')
  return email
}
