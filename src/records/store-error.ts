// Describes an error of the store for the log and the doctor. The error of a Redis script begins with ERR, and names
// its reason later. Pure; imports nothing.

type StoreErrorDescription = {
  /** A stable code: OOM, NOPERM, … of Redis, or a system error such as ECONNREFUSED. */
  code: string
  message: string
  /** True if the store answered with an error, so it can be reached. */
  isErrorReply: boolean
  /** The forbidden command (NOPERM), if Redis names it. */
  denied?: string | undefined
}

const REDIS_ERRORS: Record<string, string> = {
  OOM: 'Redis is full and rejects writes',
  NOPERM: 'the Redis user in REDIS_URL lacks permission',
  READONLY: 'Redis is a read-only replica',
  MISCONF: "Redis can't save to disk, so it rejects writes",
  NOREPLICAS: 'Redis rejects writes because too few replicas are connected',
  DENIED: 'Redis is in protected mode: without a password it accepts only local connections',
  NOAUTH: 'Redis requires a password',
  WRONGPASS: 'Redis rejected the username or password',
  LOADING: 'Redis is still loading its data',
  CLUSTERDOWN: 'the Redis cluster is down: some slots have no node',
  MASTERDOWN: 'the replica has lost its primary',
  BUSY: 'Redis is busy running a script',
  NOSUCHCOMMAND: 'a command that onramp needs was renamed or disabled in Redis',
}

function redisErrorCode(message: string): string | undefined {
  if (/ACL failure in script|user executing the script can't run/.test(message)) return 'NOPERM'
  if (/^(ERR )?unknown (redis )?command/i.test(message) || /unknown redis command called/i.test(message))
    return 'NOSUCHCOMMAND'
  const code = /^-?([A-Z]+)\b/.exec(message)?.[1] ?? ''
  if (code in REDIS_ERRORS) return code
  // "ERR Error running script …: -OOM command not allowed …" (before Redis 7).
  return code === 'ERR' ? /\b(OOM|READONLY|MISCONF|NOREPLICAS|NOPERM)\b/.exec(message)?.[1] : undefined
}

const deniedCommand = (message: string): string | undefined =>
  /run the '([a-z|]{2,30})' command/.exec(message)?.[1]?.replace('|', ' ').toUpperCase()

/** The innermost cause; of an aggregate, the first. */
export function rootCause(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < 5; depth++) {
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0] as unknown
    else if (current instanceof Error && current.cause instanceof Error) current = current.cause
    else break
  }
  return current
}

export function describeStoreError(error: unknown): StoreErrorDescription {
  const root = rootCause(error)
  if (!(root instanceof Error)) return { code: 'unknown', message: 'the store failed', isErrorReply: false }
  const reply = redisErrorCode(root.message)
  if (reply !== undefined) {
    const deniedName = deniedCommand(root.message)
    return { code: reply, message: REDIS_ERRORS[reply] ?? reply, isErrorReply: true, denied: deniedName }
  }
  if (root.name === 'StoreUnreadable')
    return { code: root.name, message: 'the store has a different format or secret', isErrorReply: true }
  if (root.name === 'TimedOut' || /time(d )?out/i.test(root.message))
    return { code: 'timeout', message: 'the store timed out', isErrorReply: false }
  if ('errstr' in root)
    return { code: 'SQLITE', message: `SQLite: ${String(root.errstr)}`, isErrorReply: true }
  const name = root.name === 'Error' ? root.constructor.name : root.name
  const code = 'code' in root && typeof root.code === 'string' ? root.code : name
  return { code, message: 'the store cannot be reached', isErrorReply: false }
}
