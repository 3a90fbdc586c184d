// What the sandbox was asked: a bounded journal, and counts without a bound.
// It keeps headers and bodies as they came, tokens included, because none of them is worth anything elsewhere.
import type { IncomingHttpHeaders } from 'node:http'
import { operations } from './service/contract.ts'

export const serverNames = ['service', 'authorizationServer', 'externalIdp', 'datasource', 'control'] as const
export type ServerName = (typeof serverNames)[number]

const names = [
  [...operations.keys(), 'authDatasource', 'authReturn', 'landing', 'other', 'consent', 'allow', 'deny'],
  ['discovery', 'oauthMetadata', 'jwks', 'registration', 'registrationManagement', 'par', 'authorization'],
  ['signIn', 'resume', 'token', 'revocation', 'introspection', 'userinfo', 'endSession'],
].flat()
const known = new Set<string>([
  ...names,
  ...serverNames,
  ...serverNames.flatMap((server) => names.map((name) => `${server}.${name}`)),
])

/** Whether an `operation`, a `server.operation` or a server exists. Guards against misspelt names in tests. */
export const isOperation = (name: string): boolean => known.has(name)

/** One request. `status` is 0 while unanswered and stays 0 when the connection was cut. */
export type JournalEntry = {
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
  /** What the client did against the contract, where the sandbox answered all the same. */
  mistake?: string
}

const MAX_ENTRIES = 2000

/** Creates the journal. Old entries fall out of it; their counts stay. */
export function createJournal() {
  const entries: JournalEntry[] = []
  const counts = new Map<string, number>()
  return {
    entries,
    add(entry: JournalEntry): void {
      entries.push(entry)
      if (entries.length > MAX_ENTRIES) entries.shift()
      for (const name of [entry.operation, `${entry.server}.${entry.operation}`])
        counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    /** How often an `operation` or `server.operation` was asked. @throws Error for one that does not exist */
    count: (operation: string): number => {
      if (!isOperation(operation)) throw new Error(`The sandbox has no operation ${operation}`)
      return counts.get(operation) ?? 0
    },
    clear: (): void => {
      entries.length = 0
      counts.clear()
    },
  }
}
