// npm run bench: pages a second for people who are signed in, and sign-ins a second, over real Redis and HTTP, beside
// servers that do the same work in the same run. Only the ratios count: the machine may be busy.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runToEnd, spawnNode, untilServing } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort } from '../helpers/running.ts'
import { enterOnramp, enterPeer, enterPlain, type Setting } from './contestants.ts'
import { choosePins, describeMachine, type Pins } from './machine.ts'
import { printTable, printVerdicts, resultOf } from './report.ts'
import { measure } from './rounds.ts'

const USAGE = `npm run bench -- [options]
  --seconds N       seconds of a round, for each server (0.5)
  --rounds N        how many rounds (30)
  --people N        how many are signed in, each of whom asks in turn (50,000)
`
const CONNECTIONS = 32

async function startAll(pins: Pins, people: number) {
  const redis = await startRedis({ pin: pins.others })
  const port = await freePort()
  const neighbours = `http://127.0.0.1:${port}`
  const file = fileURLToPath(new URL('neighbours-server.ts', import.meta.url))
  await untilServing(spawnNode([file], { PORT: String(port) }, pins.others), neighbours)
  const setting: Setting = { neighbours, people, redisUrl: redis.url, pin: pins.server }
  const plain = await enterPlain(setting)
  const onramp = await enterOnramp(setting)
  const peer = await enterPeer(setting)
  const version = /redis_version:(\S+)/.exec(String(await redis.ask('INFO', 'server')))?.[1] ?? ''
  return { plain, onramp, peer, machine: describeMachine(version) }
}

function describeRun(pins: Pins, { seconds, rounds, people }: Record<string, number>): string {
  const processors =
    pins.server === undefined
      ? 'Nothing is pinned to a processor (that takes Linux, taskset and two processors): mistrust the figures.'
      : `Processor ${pins.server}: the server under test, alone. Processor ${pins.others}: the load, its neighbours and Redis.`
  return `${processors}
${rounds} rounds of ${seconds} s each, in turn; ${CONNECTIONS} connections, ${people} people signed in, one in ten of whom has left for an app. Medians of the rounds; processor time over all of them.`
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const options = {
    seconds: { ...text, default: '0.5' },
    rounds: { ...text, default: '30' },
    people: { ...text, default: '50000' },
    help: { type: 'boolean', default: false },
  } as const
  const { help, ...values } = parseArgs({ options }).values
  const [seconds, rounds, people] = [values.seconds, values.rounds, values.people].map(Number) as [
    number,
    number,
    number,
  ]
  if (help || !(Math.min(seconds, rounds, people) > 0)) {
    process.stdout.write(USAGE)
    return help ? 0 : 2
  }
  const pins = choosePins()
  const { plain, onramp, peer, machine } = await startAll(pins, people)
  const rhythm = { connections: CONNECTIONS, seconds, rounds }
  const overview = await measure([plain, onramp, peer], rhythm, 'openPage')
  const signIns = await measure([onramp, peer], rhythm, 'signIn')
  printTable(
    'GET /onboarding, signed in: session from Redis, one call of the service, a page',
    overview,
    resultOf(overview, 'plain'),
  )
  printTable('Signing in, as a newcomer: from the link to the first page', signIns, resultOf(signIns, 'peer'))
  console.log(`${machine}\n${describeRun(pins, { seconds, rounds, people })}`)
  return printVerdicts(overview, signIns) ? 0 : 1
}

await runToEnd(main)
