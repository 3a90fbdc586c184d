// What the sandbox was asked: a bounded journal, and counts that are not bounded.
// It keeps headers and bodies as they came, tokens included: it is a sandbox.
import type { IncomingHttpHeaders } from 'node:http'
import { namedOperations } from './service/named-operations.ts'

export const serverNames = ['service', 'authorizationServer', 'externalIdp', 'datasource', 'control'] as const
export type ServerName = (typeof serverNames)[number]

const operationNames = [
  ['checkdatasourceauth', 'search', 'authDatasource', 'authReturn', 'landing', 'other'],
  Object.keys(namedOperations),
  ['consent', 'allow', 'deny'],
  ['discovery', 'oauthMetadata', 'jwks', 'registration', 'registrationManagement', 'par', 'authorization'],
  ['signIn', 'resume', 'token', 'revocation', 'introspection', 'userinfo', 'endSession'],
].flat()

/** Whether something is called so: `operation` or `server.operation`. Guards against misspelt names in tests. */
export function isOperation(name: string): boolean {
  const [server, operation] = name.includes('.') ? name.split('.', 2) : [undefined, name]
  const knownServer = server === undefined || serverNames.some((known) => known === server)
  return knownServer && operation !== undefined && operationNames.includes(operation)
}

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
  person?: string
  body?: unknown
  /** What the client did against the contract, where it was answered all the same. */
  mistake?: string
}

export type Journal = {
  entries: JournalEntry[]
  add: (entry: JournalEntry) => void
  /** How often an operation was asked; `operation` or `server.operation`. @throws Error for one that does not exist */
  count: (operation: string) => number
  clear: () => void
}

/** Creates a journal of at most `limit` entries; older ones fall out, their counts stay. */
export function createJournal(limit = 2000): Journal {
  const entries: JournalEntry[] = []
  const counts = new Map<string, number>()
  const increment = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  return {
    entries,
    add(entry) {
      entries.push(entry)
      if (entries.length > limit) entries.shift()
      increment(entry.operation)
      increment(`${entry.server}.${entry.operation}`)
    },
    count(operation) {
      if (!isOperation(operation)) throw new Error(`The sandbox has no operation ${operation}`)
      return counts.get(operation) ?? 0
    },
    clear() {
      entries.length = 0
      counts.clear()
    },
  }
}
