// What a check is, and what it may look at.
import type { Reply } from '../client-api/inquiry.ts'
import type { Credentials } from '../client-api/credentials.ts'
import type { Settings } from '../settings/settings.ts'
import type { Finding } from './finding.ts'
import type { Discovered } from './server/discovered.ts'

export type Group = 'Settings' | 'Authorization server' | 'Store' | 'Service'

export type Check = {
  /** Stable: scripts select by it. */
  id: string
  /** What it is about, in front of why it was skipped. */
  about: string
  group: Group
  /** Asks over the network, so that --offline leaves it out. */
  network?: true
  look(subject: Subject): Finding[] | Promise<Finding[]>
}

/** An announced end of something that the service offers. */
export type Deadline = { what: string; replacement: string; /** YYYY-MM-DD */ removal: string }

export type Subject = {
  env: NodeJS.ProcessEnv
  /** Every setting that can be read, whatever the others are. */
  settings: Partial<Settings>
  /** What start-up would complain of. */
  faults: readonly string[]
  /** The person whom SERVICE_GLOBAL_TOKEN acts for. */
  actAs: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
  /** The version of Node that runs, like v24.1.0. */
  node: string
  /** The nearest known word, if one is near. */
  nearest: (word: string, known: readonly string[]) => string | undefined
  /** Asked once, however many checks want to know. */
  authorizationServer: () => Promise<Discovered>
  /** checkdatasourceauth; each question is asked once. Undefined without SERVICE_BASE_URL. */
  service: (credentials: Credentials, finalRedirectUrl?: string) => Promise<Reply> | undefined
  deadlines: readonly Deadline[]
}
