// A running sandbox: what tests, the control page and the command line can ask of it and change.
import type { SwitchesControl } from './control/switches.ts'
import type { Authorizations } from './datasource/authorizations.ts'
import type { JournalEntry, ServerName } from './journal.ts'
import type { MailCatcher } from './mail.ts'
import type { Person } from './people.ts'
import type { IdentityProvider } from './provider/identity-provider.ts'
import type { ServiceTokens } from './service/callers.ts'
import type { RateCounts } from './service/rate-limit.ts'

/** What is done at both authorization servers. */
export type AtBoth = Omit<IdentityProvider, 'operation' | 'handle' | 'personOf'>

export type Sandbox = AtBoth & {
  /** Addresses without a trailing slash; the service's has its base path, the issuers theirs. */
  urls: Record<ServerName, string>
  serviceTokens: ServiceTokens
  people: Person[]
  switches: SwitchesControl
  requests: JournalEntry[]
  /** How well callers kept to the limit of the switch rateLimit. */
  rate: () => RateCounts
  mail: MailCatcher | undefined
  count: (operation: string) => number
  clearRequests: () => void
  authorize: (personId: string, instance: string) => void
  unauthorize: (personId: string, instance: string) => void
  state: Authorizations['state']
  /** Puts switches, authorizations, the journal and the mail back to how they were at the start. */
  reset: () => void
  close: () => Promise<void>
}
