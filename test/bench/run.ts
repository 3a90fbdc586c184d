// npm run bench: requests a second of GET /onboarding for somebody signed in, over real Redis and real HTTP, beside a
// floor and a peer that do the same work, in one run. Only the ratios count: other jobs may use the machine meanwhile.
import { randomBytes } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createClient } from 'redis'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { freePort } from '../helpers/running.ts'
import { startFloor, startOnramp, startPeer, type Contestant, type Surroundings } from './contestants.ts'
import { choosePins, describeMachine } from './machine.ts'
import { endAll, folder, lastWords, start, startNode } from './processes.ts'
import { asJson, asTable, verdictOf } from './report.ts'
import { measure } from './rounds.ts'

const USAGE = `npm run bench -- [options]
  --seconds N       seconds of a round, for each server (0.5)
  --rounds N        how many rounds (30)
  --connections N   requests in flight (32)
  --against FOLDER  another checkout of onramp, measured in the same rounds; may be given again
  --peer-fetch      the peer asks with global fetch, not over undici's pool
  --profile FOLDER  writes a profile of onramp's processor time
  --json            the figures as JSON
`

const PEOPLE = 16

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '30' },
    connections: { type: 'string', default: '32' },
    against: { type: 'string', multiple: true, default: [] },
    'peer-fetch': { type: 'boolean', default: false },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const amount = (text: string) => (Number(text) > 0 ? Number(text) : undefined)

async function startRedis(pin: string | undefined) {
  const port = await freePort()
  const nothingSaved = ['--save', '', '--appendonly', 'no']
  start({
    name: 'redis',
    command: 'redis-server',
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--databases',
      '100',
      ...nothingSaved,
    ],
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
  const names = (await redis.keys('onramp:*')).filter((name) => /session|token/.test(name))
  const lengths = await Promise.all(names.map((name) => redis.strLen(name)))
  await redis.select(0)
  return Math.round(lengths.reduce((sum, length) => sum + length, 0) / PEOPLE)
}

async function writeFloorSessions(redis: Redis, bytes: number): Promise<string[]> {
  const ids = Array.from({ length: PEOPLE }, () => randomBytes(16).toString('base64url'))
  for (const [index, id] of ids.entries()) {
    const session = {
      email: `person${index}@acme.example`,
      accessToken: randomBytes(32).toString('base64url'),
      rest: '',
    }
    session.rest = 'x'.repeat(Math.max(0, bytes - JSON.stringify(session).length))
    await redis.set(`floor:${id}`, JSON.stringify(session))
  }
  return ids
}

async function startAll(pins: ReturnType<typeof choosePins>) {
  const redis = await startRedis(pins.others)
  const upstreamPort = await freePort()
  startNode(fileURLToPath(new URL('upstream-server.ts', import.meta.url)), {
    name: 'upstream',
    env: { PORT: String(upstreamPort) },
    pin: pins.others,
  })
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    id: `person${index}`,
    name: `Person ${index}`,
    email: `person${index}@acme.example`,
    datasources: [],
  }))
  const sandbox = await startSandbox({ people, switches: { accessTokenSeconds: 24 * 3600 } })
  const around: Surroundings = {
    sandbox,
    people,
    upstreamUrl: `http://127.0.0.1:${upstreamPort}`,
    redisUrl: redis.url,
    pin: pins.server,
  }
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const own = { name: 'onramp', folder: here, database: 1, profile: values.profile }
  const onramp = await startOnramp(around, own)
  const others: Contestant[] = []
  for (const [index, folder] of values.against.entries())
    others.push(await startOnramp(around, { name: basename(resolve(folder)), folder, database: 2 + index }))
  const { pageBytes } = onramp
  const ids = await writeFloorSessions(redis.client, await sessionBytes(redis.client))
  const floor = await startFloor(around, { pageBytes, ids })
  const peer = await startPeer(around, { pageBytes, calls: values['peer-fetch'] ? 'fetch' : 'undici' })
  const contestants: [Contestant, ...Contestant[]] = [floor, onramp, ...others, peer]
  const info = /redis_version:(\S+)/.exec(await redis.client.info('server'))?.[1] ?? ''
  const close = async () => {
    redis.client.destroy()
    await sandbox.close()
  }
  return { contestants, redisVersion: info, close }
}

async function main(): Promise<number> {
  const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(amount)
  if (values.help || seconds === undefined || rounds === undefined || connections === undefined) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  const pins = choosePins()
  const { contestants, redisVersion, close } = await startAll(pins)
  const results = await measure(contestants, { seconds, rounds, connections })
  await close()
  const conditions = {
    machine: describeMachine(redisVersion),
    pins,
    seconds,
    rounds,
    connections,
    people: PEOPLE,
    peerCalls: values['peer-fetch'] ? 'global fetch' : "undici's pool",
  }
  process.stdout.write(values.json ? asJson(results, conditions) : asTable(results, conditions))
  return verdictOf(results).passed ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endAll().then(() => process.exit(1)))
let status = 1
try {
  status = await main()
} catch (error) {
  console.error(error)
  process.stderr.write(lastWords())
} finally {
  await endAll()
}
// Whatever a run that failed has left open must not keep this process.
process.exit(status)
