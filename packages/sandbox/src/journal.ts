// Records the requests that the sandbox received: the last 2,000 entries, and counts of all.
// Headers and bodies keep their tokens, which are worthless elsewhere.
import type { IncomingHttpHeaders } from 'node:http'
import { operations } from './service/contract.ts'

export const serverNames = ['service', 'authorizationServer', 'externalIdp', 'datasource', 'control'] as const
export type ServerName = (typeof serverNames)[number]

const names = [
  [...operations.keys(), 'authDatasource', 'authReturn', 'landing', 'other', 'consent', 'allow', 'deny'],
  ['discovery', 'oauthMetadata', 'jwks', 'registration', 'registrationManagement', 'par', 'authorization'],
  ['signIn', 'resume', 'token', 'revocation', 'userinfo', 'endSession'],
].flat()
const ofServers = serverNames.flatMap((server) => names.map((name) => `${server}.${name}`))
const knownOperations = new Set<string>([...names, ...serverNames, ...ofServers])

/** `status` is 0 until the response, and stays 0 if the connection was cut. */
type JournalEntry = {
  at: string
  server: ServerName
  operation: string
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  status: number
  person?: string | undefined
  body?: unknown
  /** A violation of the contract that the sandbox let pass. */
  mistake?: string
}

const MAX_ENTRIES = 2000

export class Journal {
  readonly entries: JournalEntry[] = []
  private readonly counts = new Map<string, number>()

  /** True for an `operation`, a `server.operation` or a server, to guard tests against misspelt names. */
  static isOperation(this: void, name: string): boolean {
    return knownOperations.has(name)
  }

  add(entry: JournalEntry): void {
    this.entries.push(entry)
    if (this.entries.length > MAX_ENTRIES) this.entries.shift()
    for (const name of [entry.operation, `${entry.server}.${entry.operation}`])
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** @param operation `operation` or `server.operation` @throws Error for an unknown one */
  count(operation: string): number {
    if (!Journal.isOperation(operation)) throw new Error(`The sandbox has no operation ${operation}`)
    return this.counts.get(operation) ?? 0
  }

  clear(): void {
    this.entries.length = 0
    this.counts.clear()
  }
}
