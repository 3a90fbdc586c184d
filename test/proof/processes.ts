// The real application, composed once for each process there may be, and asked over requests without sockets. A process
// that takes the place of one that died is another composition, which has never heard of the people of this seed.
import './instruments.ts'
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { createOnramp, type Onramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { CLIENT_ID, ISSUER } from './authorization-server.ts'
import { begin, current, within, type Process } from './machine.ts'
import './network.ts'
import { SERVICE } from './service.ts'
import { storeOn, type SimulatedStore } from './store.ts'

export const PUBLIC_URL = 'https://onramp.example'

export const settings = loadSettings({
  PUBLIC_URL,
  SERVICE_BASE_URL: SERVICE,
  OIDC_ISSUER: ISSUER,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: 'a secret of the client',
  SESSION_SECRET: 'a secret of thirty-two characters or more',
  SIGN_INS_PER_MINUTE: '100000',
})

export type Asked = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; address: string }
export type Answer = { status: number; headers: OutgoingHttpHeaders; body: string }

export const locationOf = ({ headers }: Answer): string => headers['location']?.toString() ?? ''

/** Two at work, and as many to take their places. */
export const PROCESSES = 4

let stored: SimulatedStore | undefined

/** All processes were composed on one installation, and each seed is that one with nothing else in its store. */
export function useStore(store: SimulatedStore): void {
  const installation = stored?.read('installation')
  if (installation !== undefined) store.write('installation', installation, 1e9)
  stored = store
}

export const storeNow = (): SimulatedStore => {
  if (stored === undefined) throw new Error('no seed is running')
  return stored
}

/** For commands: the store of whatever seed runs. */
export const sharedStore = storeOn(storeNow)

const log = createLog('silent')
const now = () => current().now

async function compose(name: string): Promise<Onramp> {
  const onramp = createOnramp(settings, log, { now, open: () => storeOn(storeNow) })
  const process = { name, isAlive: true, troubledAt: 0 }
  void within.run(process, () => onramp.start().catch(() => {}))
  await current().run(100)
  // What the background would do in an hour is not part of any seed.
  await current().end([])
  return onramp
}

export async function composeAll(): Promise<Onramp[]> {
  const apps: Onramp[] = []
  begin(0, Date.now())
  for (let number = 0; number < PROCESSES; number++) {
    apps.push(await compose(`composition ${number}`))
    for (let count = 0; count < 50; count++) await new Promise((resolve) => setImmediate(resolve))
  }
  return apps
}

/** @param done not called where the process dies first */
export function ask({ app }: Onramp, process: Process, asked: Asked, done: (answer: Answer) => void): void {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: asked.address })
  const req = Object.assign(new IncomingMessage(socket), {
    method: asked.method,
    url: asked.path,
    headers: asked.headers,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
  })
  req.push(null)
  const res = new ServerResponse(req)
  const end = res.end.bind(res) as (...given: unknown[]) => ServerResponse
  res.end = (...given: unknown[]) => {
    end(...given)
    const [chunk] = given
    const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : ''
    if (process.isAlive) done({ status: res.statusCode, headers: res.getHeaders(), body })
    return res
  }
  within.run(process, () => app(req, res))
}
