// npm run bench: requests a second of GET /onboarding for people who are signed in, and sign-ins a second, over real Redis
// and real HTTP, beside servers that do the same work, in one run. Only the ratios count: the machine may be busy.
import { randomBytes } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createClient } from 'redis'
import { freePort } from '../helpers/running.ts'
import {
  startFloor,
  startOnramp,
  startPeer,
  startPlain,
  type Contestant,
  type Surroundings,
} from './contestants.ts'
import { choosePins, describeMachine } from './machine.ts'
import { folder, runToEnd, start, startNode, untilReady } from './processes.ts'
import { asJson, printOverview, printSignIns, signInVerdictOf, verdictOf } from './report.ts'
import { measure } from './rounds.ts'
import { measureSignIns } from './sign-ins.ts'

const USAGE = `npm run bench -- [options]
  --seconds N       seconds of a round, for each server (0.5)
  --rounds N        how many rounds (30)
  --people N        how many are signed in, each of whom asks in turn (50,000)
  --connections N   requests in flight (32)
  --against FOLDER  another checkout of onramp, measured in the same rounds; may be given again
  --only WHAT       overview or sign-ins, and not the other one
  --json            the figures as JSON
`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '30' },
    people: { type: 'string', default: '50000' },
    connections: { type: 'string', default: '32' },
    against: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const amount = (text: string) => (Number(text) > 0 ? Number(text) : undefined)

async function startRedis(pin: string | undefined) {
  const port = await freePort()
  start({
    name: 'redis',
    command: 'redis-server',
    args: `--port ${port} --bind 127.0.0.1 --databases 100 --appendonly no`
      .split(' ')
      .concat('--dir', folder, '--save', ''),
    pin,
  })
  const url = `redis://127.0.0.1:${port}`
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  return { url, client }
}

type Redis = Awaited<ReturnType<typeof startRedis>>['client']

/** How much onramp keeps of one sign-in, session and tokens: as much the floor reads. */
async function sessionBytes(redis: Redis): Promise<number> {
  await redis.select(1)
  const name = (await redis.keys('onramp:session:*'))[0] ?? ''
  const bytes = await redis.strLen(name)
  await redis.select(0)
  return bytes
}

async function writeFloorSessions(redis: Redis, people: number, bytes: number): Promise<string[]> {
  const ids = Array.from({ length: people }, () => randomBytes(16).toString('base64url'))
  for (const [index, id] of ids.entries()) {
    const email = `person${index}@acme.example`
    const session = { email, accessToken: `access-${index}`, rest: 'x'.repeat(Math.max(0, bytes - 80)) }
    await redis.set(`floor:${id}`, JSON.stringify(session))
  }
  return ids
}

async function startAll(pins: ReturnType<typeof choosePins>, people: number) {
  const redis = await startRedis(pins.others)
  const beside = async (name: string) => {
    const port = await freePort()
    const file = fileURLToPath(new URL(`${name}-server.ts`, import.meta.url))
    startNode(file, { name, env: { PORT: String(port) }, pin: pins.others })
    return `http://127.0.0.1:${port}`
  }
  const [upstreamUrl, issuer] = [await beside('upstream'), await beside('issuer')]
  await untilReady('issuer', issuer)
  const around: Surroundings = { issuer, people, upstreamUrl, redisUrl: redis.url, pin: pins.server }
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const own = { name: 'onramp', folder: here, database: 1 }
  const onramp = await startOnramp(around, own)
  const others: Contestant[] = []
  for (const [index, folder] of values.against.entries())
    others.push(await startOnramp(around, { name: basename(resolve(folder)), folder, database: 2 + index }))
  const { pageBytes } = onramp
  const ids = await writeFloorSessions(redis.client, people, await sessionBytes(redis.client))
  const floor = await startFloor(around, { pageBytes, ids })
  const peer = await startPeer(around, pageBytes)
  const plain = await startPlain(around)
  const contestants = [floor, onramp, plain, ...others, peer]
  const info = /redis_version:(\S+)/.exec(await redis.client.info('server'))?.[1] ?? ''
  return { contestants, redisVersion: info, close: () => redis.client.destroy() }
}

async function main(): Promise<number> {
  const [seconds = 0, rounds = 0, connections = 0, people = 0] = (
    ['seconds', 'rounds', 'connections', 'people'] as const
  ).map((name) => amount(values[name]))
  const { only } = values
  const isKnown = only === undefined || only === 'overview' || only === 'sign-ins'
  if (values.help || !isKnown || Math.min(seconds, rounds, connections, people) === 0) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  const pins = choosePins()
  const { contestants, redisVersion, close } = await startAll(pins, people)
  const rhythm = { seconds, rounds, connections }
  const results = only === 'sign-ins' ? [] : await measure(contestants, rhythm)
  const entered = contestants.filter(({ signInUrl }) => signInUrl !== '')
  const signIns = only === 'overview' ? [] : await measureSignIns(entered, rhythm)
  close()
  const conditions = { machine: describeMachine(redisVersion), pins, ...rhythm, people }
  if (values.json) process.stdout.write(asJson(results, conditions, signIns))
  else {
    if (only !== 'overview') printSignIns(signIns)
    printOverview(results, conditions)
  }
  const passed = [
    ...(only === 'sign-ins' ? [] : [verdictOf(results).passed]),
    ...(only === 'overview' ? [] : [signInVerdictOf(signIns).passed]),
  ]
  return passed.every(Boolean) ? 0 : 1
}

await runToEnd(main)
