// A running sandbox: what tests, the control page and the command line can ask of it and change.
import type { SwitchesControl } from './control/switches.ts'
import type { AuthorizationState } from './datasource/authorizations.ts'
import type { JournalEntry, ServerName } from './journal.ts'
import type { MailCatcher } from './mail.ts'
import type { Person } from './people.ts'
import type { SandboxClient } from './provider/identity-provider.ts'
import type { SentLogout } from './provider/sessions.ts'
import type { ServiceTokens } from './service/callers.ts'
import type { RateCounts } from './service/rate-limit.ts'

export type Sandbox = {
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
  state: (personId: string) => Record<string, AuthorizationState>
  /** Every access token expires now; refresh tokens live on. */
  expireTokens: () => void
  /** New signing keys at both authorization servers; the old ones are gone. */
  rotateKeys: () => Promise<void>
  addClient: (client: SandboxClient) => void
  /** Also forgets clients that registered themselves. */
  removeClient: (clientId: string) => void
  /** Ends the sessions of one person, or of all, with back-channel logout. @returns how many */
  endSessions: (personId?: string) => Promise<number>
  /** The logout tokens that clients were sent, oldest first, and what they answered. */
  logouts: () => SentLogout[]
  /** Switches, authorizations and the journal as they were at the start. */
  reset: () => void
  close: () => Promise<void>
}
