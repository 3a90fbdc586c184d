// What a check is, what it finds, and what it may look at. Findings are made of our own words and of values that are
// public anyway (addresses without their query, names of settings): nothing that a server said is repeated.
import type { Reply } from '../client-api/inquiry.ts'
import type { Credentials } from '../client-api/credentials.ts'
import type { Settings } from '../settings/settings.ts'
import type { Discovered } from './discovered.ts'

export type FindingStatus = 'ok' | 'warn' | 'fail' | 'skip'

export type Finding = {
  status: FindingStatus
  /** What is the case, in one plain sentence. */
  says: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  /** What to do. */
  mend?: string
}

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

type Mending = { settings?: readonly string[]; mend: string }

export const ok = (says: string): Finding => ({ status: 'ok', says, settings: [] })
export const skip = (says: string): Finding => ({ status: 'skip', says, settings: [] })
export const warn = (says: string, { settings = [], mend }: Mending): Finding => ({
  status: 'warn',
  says,
  settings,
  mend,
})
export const fail = (says: string, { settings = [], mend }: Mending): Finding => ({
  status: 'fail',
  says,
  settings,
  mend,
})
