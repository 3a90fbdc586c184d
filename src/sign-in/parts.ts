// What the steps of signing in are made of; sign-in.ts puts it together.
import type { Request } from 'express'
import type { Records } from '../records/records.ts'
import type { Installation } from '../records/installation.ts'
import type { Store } from '../records/store.ts'
import type { Sealer } from '../records/seal.ts'
import type { SignIns, User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Note } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { OnCall } from '../trace/calls.ts'
import type { Limits } from '../web/rate-limit.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'

/** What compose.ts gives. */
export type SignInServices = {
  settings: Settings
  store: Store
  /** Names and seals what outlives a session. */
  installation: Installation
  log: Log
  note: Note
  limits: Limits
  /** Told of every request to the authorization server. */
  onCall: OnCall
  /** The language of the person who makes the request, as a BCP 47 tag. */
  languageOf: (req: Request) => string
  /** Must not throw: a figure for the report is no reason to keep a person out. */
  onSignedIn: (user: User) => Promise<void>
  /** Milliseconds since 1970. */
  now: () => number
}

export type SignInParts = SignInServices & {
  records: Records
  sealer: Sealer
  signIns: SignIns
  authorizationServer: AuthorizationServer
  /** SESSION_MAX_HOURS, in seconds. */
  maxSeconds: number
  /** Further parameters of the token request: `resource` (RFC 8707 2.2). */
  tokenParameters: Record<string, string>
}
