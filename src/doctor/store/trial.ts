// Everything that onramp does with Redis, done once on a key that lives for five seconds, over the server's own connection.
// The finding names each command that is refused, and everything that has to be allowed.
import { randomUUID } from 'node:crypto'
import { redisAccess } from '../../records/redis-access.ts'
import { openerOf, type RedisCommands, type RedisTopology } from '../../records/redis-clients.ts'
import { withinDeadline } from '../../records/records.ts'
import { rootOf, storeTrouble, type StoreTrouble } from '../../records/store-trouble.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'

const SLOW_MS = 50
const LIFE_SECONDS = 5
const settings = ['REDIS_URL']

const CHANGE = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1
end
return 0`

type Attempt = { command: string; does: (redis: RedisCommands, key: string) => Promise<unknown> }

const inScript = (script: string) => (redis: RedisCommands, key: string) =>
  redis.eval(script, { keys: [key], arguments: [] })

/** In this order: each needs what was done before it. */
const ATTEMPTS: readonly Attempt[] = [
  {
    command: 'SET',
    does: (redis, key) => redis.set(key, '1', { expiration: { type: 'EX', value: LIFE_SECONDS } }),
  },
  { command: 'GET', does: (redis, key) => redis.get(key) },
  {
    command: 'EVAL',
    does: (redis, key) => redis.eval(CHANGE, { keys: [key], arguments: ['1', '2', String(LIFE_SECONDS)] }),
  },
  { command: 'INCRBY', does: inScript(`return redis.call('INCRBY', KEYS[1], 1)`) },
  { command: 'EXPIRE', does: (redis, key) => redis.expire(key, LIFE_SECONDS) },
  { command: 'TTL', does: inScript(`return redis.call('TTL', KEYS[1])`) },
  { command: 'DEL', does: (redis, key) => redis.del(key) },
]

type Tried = { answers: Map<string, unknown>; refused: Map<string, StoreTrouble & { message: string }> }

const troubleOf = (error: unknown) => {
  const root = rootOf(error)
  return { ...storeTrouble(error), message: root instanceof Error ? root.message : '' }
}

async function tryAll(redis: RedisCommands, key: string): Promise<Tried> {
  const tried: Tried = { answers: new Map(), refused: new Map() }
  for (const { command, does } of ATTEMPTS) {
    // A command inside a script cannot be tried where scripts are denied.
    if (tried.refused.has('EVAL') && (command === 'INCRBY' || command === 'TTL')) continue
    try {
      tried.answers.set(command, await withinDeadline(() => does(redis, key)))
    } catch (error) {
      tried.refused.set(command, troubleOf(error))
    }
  }
  return tried
}

/** Redis 7 names it; in a script, or while connecting, it may not be the one that was tried. */
const deniedCommand = (message: string): string | undefined =>
  /run the '([a-z|]{2,30})' command/.exec(message)?.[1]?.replace('|', ' ').toUpperCase()

export type Trial = { url: string; topology: RedisTopology; prefix: string }

/** What to do about a denied command. */
export const allowAll = ({ topology, prefix }: Trial) =>
  `allow all that onramp uses: ACL SETUSER NAME ${redisAccess(prefix, topology.kind).join(' ')}`

const FIXES: Record<string, string> = {
  READONLY: 'set it to the primary',
  OOM: 'give it more memory',
  MISCONF: "look at Redis's log: its disk is full, or its folder cannot be written to",
  CLUSTERDOWN: 'repair the cluster: every slot needs a node',
}

function refusalFinding(refused: Tried['refused'], trial: Trial): Finding {
  const withCode = (code: string) => [...refused].filter(([, trouble]) => trouble.code === code)
  const names = (found: [string, { message: string }][]) =>
    found.map(([command, { message }]) => deniedCommand(message) ?? command).join(', ')
  const denied = withCode('NOPERM')
  if (denied.some(([, { message }]) => /\bkeys?\b/i.test(message)))
    return fail(`The user of REDIS_URL may not use keys that begin with ${trial.prefix}`, {
      settings,
      fix: allowAll(trial),
    })
  if (denied.length > 0)
    return fail(`The user of REDIS_URL may not use ${names(denied)}.`, { settings, fix: allowAll(trial) })
  const unknown = withCode('NOSUCHCOMMAND')
  if (unknown.length > 0)
    return fail(`Redis does not know ${names(unknown)}: renamed, or switched off.`, {
      settings,
      fix: 'remove its rename-command from the configuration of Redis; onramp needs it',
    })
  const [[, { code, words, isRefusal }] = ['', troubleOf(undefined)]] = [...refused]
  const says = isRefusal
    ? `${words[0]?.toUpperCase()}${words.slice(1)} (${code}).`
    : `Records cannot be written (${code}).`
  return fail(says, { settings, fix: FIXES[code] ?? "look at Redis's log" })
}

function speedFinding(milliseconds: number): Finding {
  const ms = milliseconds < 1 ? 'less than 1 ms' : `${Math.round(milliseconds)} ms`
  return milliseconds > SLOW_MS
    ? warn(`A command takes ${ms}.`, { settings, fix: 'use a Redis closer to this machine' })
    : ok(`Records can be written, read, expired and removed, and scripts run; a command takes ${ms}.`)
}

export const undeclaredCluster = fail('Redis is a cluster, but REDIS_CLUSTER does not say so.', {
  settings: ['REDIS_CLUSTER'],
  fix: 'set it to yes',
})

/** @param trial.url the server, or the primary that the Sentinels name */
export async function redisTrial(trial: Trial): Promise<Finding> {
  const { url, topology, prefix } = trial
  const open = openerOf(url, topology, prefix)
  try {
    const opened = await open(() => {})
    try {
      const start = performance.now()
      const { answers, refused } = await tryAll(opened.commands, `${prefix}doctor:${randomUUID()}`)
      const each = (performance.now() - start) / ATTEMPTS.length
      if (refused.size > 0) return refusalFinding(refused, trial)
      const life = Number(answers.get('TTL'))
      const keeps = answers.get('GET') === '1' && answers.get('INCRBY') === 3
      return keeps && life > 0 && life <= LIFE_SECONDS
        ? speedFinding(each)
        : fail('Redis does not keep what is written, or does not let it expire.', {
            settings,
            fix: 'use a real Redis or Valkey',
          })
    } finally {
      opened.close()
    }
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble.message.startsWith('MOVED')) return undeclaredCluster
    return refusalFinding(new Map([['GET', trouble]]), trial)
  }
}
