// What a check is, and what it may look at.
import type { Reply } from '../client-api/inquiry.ts'
import type { Credentials } from '../client-api/credentials.ts'
import type { Settings } from '../settings/settings.ts'
import { missing, type Findings } from './finding.ts'
import type { Discovered, Metadata } from './server/discovered.ts'

export type Group = 'Settings' | 'Authorization server' | 'Store' | 'Service'

export type Check = {
  /** Stable: scripts select by it. */
  id: string
  /** What it is about; printed before the reason for skipping it. */
  about: string
  group: Group
  /** It needs the network, so --offline leaves it out. */
  isOnline: boolean
  look: (subject: Subject) => Findings | Promise<Findings>
}

/** An announced end of something that the service offers. */
export type Deadline = { what: string; replacement: string; /** YYYY-MM-DD */ removal: string }

export type Subject = {
  env: NodeJS.ProcessEnv
  /** Every setting that can be read, even where others are faulty. */
  settings: Partial<Settings>
  /** What start-up would refuse. */
  faults: readonly string[]
  /** The person for whom SERVICE_GLOBAL_TOKEN acts. */
  actAs: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
  /** The version of Node that runs, like v24.3.0. */
  node: string
  /** The nearest known word, if one is near. */
  nearest: (word: string, known: readonly string[]) => string | undefined
  /** Asked once, however many checks want to know. */
  authorizationServer: () => Promise<Discovered>
  /** checkdatasourceauth; each question is asked once. Undefined without SERVICE_BASE_URL. */
  service: (credentials: Credentials, finalRedirectUrl?: string) => Promise<Reply> | undefined
  deadlines: readonly Deadline[]
}

/** For a check that needs the authorization server's metadata. */
export const withMetadata =
  (look: (metadata: Metadata, subject: Subject) => Findings | Promise<Findings>): Check['look'] =>
  async (subject) => {
    const discovered = await subject.authorizationServer()
    return discovered.kind === 'found' ? look(discovered.metadata, subject) : missing('server metadata')
  }
