// The real application, composed once for each possible process; requests reach it without sockets. A process that
// replaces a dead one is another composition, without any state of this seed.
import './instruments.ts'
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { createOnramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { CLIENT_ID, ISSUER } from './authorization-server.ts'
import { begin, current, within, type Process } from './machine.ts'
import './network.ts'
import { SERVICE } from './service.ts'
import { storeOn, type SimulatedStore } from './store.ts'

type Onramp = ReturnType<typeof createOnramp>

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

export type PageRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  address: string
}
export type PageResponse = { status: number; headers: OutgoingHttpHeaders; body: string }

export const locationOf = ({ headers }: PageResponse): string => headers['location']?.toString() ?? ''

/** Two at work, and as many to replace them. */
const PROCESSES = 4

let storeOfSeed: SimulatedStore | undefined

/** The store of a seed has only the record `installation`, which all processes were composed on. */
export function useStore(store: SimulatedStore): void {
  const installation = storeOfSeed?.read('installation')
  if (installation !== undefined) store.write('installation', installation, 1e9)
  storeOfSeed = store
}

export const sharedStore = storeOn(() => {
  if (storeOfSeed === undefined) throw new Error('no seed is running')
  return storeOfSeed
})

const log = createLog('silent')
const now = () => current().now

async function compose(name: string): Promise<Onramp> {
  const onramp = createOnramp(settings, log, { now, open: () => sharedStore })
  const process = { name, isAlive: true, troubledAt: 0 }
  void within.run(process, () => onramp.start().catch(() => {}))
  await current().run(100)
  // Background work is part of no seed.
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

/** @param done not called if the process dies first */
export function sendRequest(
  { app }: Onramp,
  process: Process,
  { method, path: url, headers, address }: PageRequest,
  done: (response: PageResponse) => void,
): void {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  const req = Object.assign(new IncomingMessage(socket), {
    method,
    url,
    headers,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
  })
  req.push(null)
  const res = new ServerResponse(req)
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
  res.end = (...args: unknown[]) => {
    end(...args)
    const [chunk] = args
    const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : ''
    if (process.isAlive) done({ status: res.statusCode, headers: res.getHeaders(), body })
    return res
  }
  within.run(process, () => app(req, res))
}
