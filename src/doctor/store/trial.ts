// Everything that onramp does with Redis, done once on a key that lives for five seconds, over the server's own connection.
// The finding names each command that is refused, and everything that has to be allowed.
import { randomUUID } from 'node:crypto'
import { redisAccess } from '../../records/redis-records.ts'
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

/** By command, in this order: each needs what was done before it. */
const ATTEMPTS: Record<string, (redis: RedisCommands, key: string) => Promise<unknown>> = {
  SET: (redis, key) => redis.set(key, '1', { expiration: { type: 'EX', value: LIFE_SECONDS } }),
  GET: (redis, key) => redis.get(key),
  EVAL: (redis, key) => redis.eval(CHANGE, { keys: [key], arguments: ['1', '2', String(LIFE_SECONDS)] }),
  INCRBY: (redis, key) =>
    redis.eval(`return redis.call('INCRBY', KEYS[1], 1)`, { keys: [key], arguments: [] }),
  EXPIRE: (redis, key) => redis.expire(key, LIFE_SECONDS),
  TTL: (redis, key) => redis.eval(`return redis.call('TTL', KEYS[1])`, { keys: [key], arguments: [] }),
  SCAN: (redis, key) => redis.scan(key).next(),
  DEL: (redis, key) => redis.del(key),
}

type Trouble = StoreTrouble & { message: string }
type Tried = { answers: Map<string, unknown>; refused: Map<string, Trouble> }

const troubleOf = (error: unknown) => {
  const root = rootOf(error)
  return { ...storeTrouble(error), message: root instanceof Error ? root.message : '' }
}

async function tryAll(redis: RedisCommands, key: string): Promise<Tried> {
  const tried: Tried = { answers: new Map(), refused: new Map() }
  for (const [command, attempt] of Object.entries(ATTEMPTS)) {
    // A command inside a script cannot be tried where scripts are denied.
    if (tried.refused.has('EVAL') && (command === 'INCRBY' || command === 'TTL')) continue
    try {
      tried.answers.set(command, await withinDeadline(() => attempt(redis, key)))
    } catch (error) {
      tried.refused.set(command, troubleOf(error))
    }
  }
  return tried
}

export type Trial = { url: string; topology: RedisTopology; prefix: string }

/** What to do about a denied command. */
export const allowAll = ({ url, topology, prefix }: Trial) =>
  `allow all that onramp uses: ACL SETUSER NAME ${redisAccess(prefix, topology.kind, url).join(' ')}`

const FIXES: Record<string, string> = {
  READONLY: 'set it to the primary',
  OOM: 'give it more memory',
  MISCONF: "check Redis's log: its disk is full, or its folder is not writable",
  CLUSTERDOWN: 'fix the cluster: every slot needs a node',
}

function refusalFinding(refused: Tried['refused'], trial: Trial): Finding {
  const names = (wanted: string) =>
    [...refused]
      .filter(([, { code }]) => code === wanted)
      .map(([command, { denied }]) => denied ?? command)
      .join(', ')
  const isAboutKeys = ({ code, message }: Trouble) => code === 'NOPERM' && /\bkeys?\b/i.test(message)
  const [denied, unknown] = [names('NOPERM'), names('NOSUCHCOMMAND')]
  if ([...refused.values()].some(isAboutKeys))
    return fail(`The Redis user in REDIS_URL isn't allowed to use keys that begin with ${trial.prefix}`, {
      settings,
      fix: allowAll(trial),
    })
  if (denied !== '')
    return fail(`The Redis user in REDIS_URL isn't allowed to use ${denied}.`, {
      settings,
      fix: allowAll(trial),
    })
  if (unknown !== '')
    return fail(`Redis doesn't know ${unknown}: it is renamed or turned off.`, {
      settings,
      fix: "remove its rename-command from Redis's configuration; onramp needs it",
    })
  const [[, { code, words, isRefusal }] = ['', troubleOf(undefined)]] = [...refused]
  const says = isRefusal
    ? `${words[0]?.toUpperCase()}${words.slice(1)} (${code}).`
    : `Couldn't write records (${code}).`
  return fail(says, { settings, fix: FIXES[code] ?? "check Redis's log" })
}

function speedFinding(milliseconds: number): Finding {
  const ms = milliseconds < 1 ? 'less than 1 ms' : `${Math.round(milliseconds)} ms`
  return milliseconds > SLOW_MS
    ? warn(`Redis is slow: ${ms} per command.`, { settings, fix: 'use a Redis server closer to onramp' })
    : ok(`onramp can write, read, expire and delete records and run scripts; a command takes ${ms}.`)
}

export const undeclaredCluster = fail('Redis is a cluster, but REDIS_CLUSTER is not set to yes.', {
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
      const each = (performance.now() - start) / Object.keys(ATTEMPTS).length
      if (refused.size > 0) return refusalFinding(refused, trial)
      const life = Number(answers.get('TTL'))
      const keeps = answers.get('GET') === '1' && answers.get('INCRBY') === 3
      return keeps && life > 0 && life <= LIFE_SECONDS
        ? speedFinding(each)
        : fail("Redis doesn't keep data, or doesn't let it expire.", {
            settings,
            fix: 'use Redis or Valkey',
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
