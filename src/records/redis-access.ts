// What onramp needs of Redis, in one place: the doctor tries it, docs/redis.md shows it, and a test walks the whole
// product with a user that may do nothing else (test/records/redis-access.test.ts).

/**
 * Every command that the server and the command line send, in scripts too. A Redis that denies or renames one of them
 * answers every page, or every sign-in, with an error.
 */
export const REDIS_COMMANDS = ['get', 'set', 'del', 'expire', 'ttl', 'incrby', 'eval', 'ping'] as const

/** What else is sent where the address of the primary, or of a cluster's nodes, has to be found. */
const BY_TOPOLOGY = { standalone: [], sentinel: ['role'], cluster: ['cluster|slots'] } as const

/** For the doctor alone: without it it cannot tell whether Redis evicts sessions or saves what it holds. */
const TELLS_ABOUT_ITSELF = 'info'

/**
 * The rules of a Redis user who may do what onramp does, and nothing else (ACL SETUSER).
 * @param prefix what every key begins with
 */
export function redisAccess(prefix: string, topology: keyof typeof BY_TOPOLOGY = 'standalone'): string[] {
  const commands = [...REDIS_COMMANDS, ...BY_TOPOLOGY[topology], TELLS_ABOUT_ITSELF]
  return [`~${prefix}*`, ...commands.map((command) => `+${command}`)]
}
