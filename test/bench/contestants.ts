// The servers that are compared, each a process of its own, with people signed in at each of them: at onramp and at the
// peer by their real flow through issuer-server.ts, at the floor by records put into Redis.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { freePort } from '../helpers/running.ts'
import type { Target } from './load.ts'
import { enter, follow } from './people.ts'
import { startNode, startServer, untilReady } from './processes.ts'

export type Contestant = Target & {
  pid: number
  pageBytes: number
  /** Where someone begins to sign in; empty where no one can. */
  signInUrl: string
}

/** What all of them share. */
export type Surroundings = {
  issuer: string
  /** How many are signed in before the load. */
  people: number
  upstreamUrl: string
  /** Without a database number. */
  redisUrl: string
  /** The processors of the server under test. */
  pin: string | undefined
}

const newSecret = () => randomBytes(32).toString('base64url')
const fileHere = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Onramp as it is run: its own entry, its settings from the environment. @param options `folder`: of the sources */
export async function startOnramp(
  around: Surroundings,
  options: { name: string; folder: string; database: number },
): Promise<Contestant> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { pid } = startServer(options.folder, {
    name: options.name,
    options: [],
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: url,
      SERVICE_BASE_URL: around.upstreamUrl,
      OIDC_ISSUER: around.issuer,
      OIDC_CLIENT_ID: `onramp-${options.database}`,
      OIDC_CLIENT_SECRET: newSecret(),
      SESSION_SECRET: newSecret(),
      SIGN_INS_PER_MINUTE: '1000000',
      REDIS_URL: `${around.redisUrl}/${options.database}`,
    },
    pin: around.pin,
  })
  await untilReady(options.name, `${url}/readyz`)
  const signInUrl = `${url}/sign-in?return_to=%2Fonboarding`
  const cookies = await enter(around.people, () => follow(options.name, signInUrl, 'signed in'))
  return await checked({ name: options.name, pid, port, cookies, signInUrl })
}

/** Starts a server of this folder. @param settings what else it is given, by its address */
async function startHere(
  around: Surroundings,
  name: string,
  { pageBytes = 0, settings = () => ({}) }: { pageBytes?: number; settings?: (url: string) => object },
) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    PORT: String(port),
    REDIS_URL: around.redisUrl,
    SERVICE_BASE_URL: around.upstreamUrl,
    PAGE_BYTES: String(pageBytes),
    ...settings(url),
  }
  const { pid } = startNode(fileHere(`${name}-server.ts`), { name, env, pin: around.pin })
  await untilReady(name, url)
  return { name, pid, port, url }
}

export async function startPeer(around: Surroundings, pageBytes: number): Promise<Contestant> {
  const settings = (url: string) => ({
    ISSUER: around.issuer,
    BASE_URL: url,
    CLIENT_ID: 'peer',
    CLIENT_SECRET: newSecret(),
    SECRET: newSecret(),
    NODE_ENV: 'production',
  })
  const { url, ...peer } = await startHere(around, 'peer', { pageBytes, settings })
  const signInUrl = `${url}/onboarding`
  const cookies = await enter(around.people, () => follow('peer', signInUrl, 'signed in'))
  return await checked({ ...peer, cookies, signInUrl })
}

/** The floor; its records are written by the caller, one for each id. */
export async function startFloor(
  around: Surroundings,
  { pageBytes, ids }: { pageBytes: number; ids: readonly string[] },
): Promise<Contestant> {
  const { url: _url, ...floor } = await startHere(around, 'floor', { pageBytes })
  return await checked({ ...floor, cookies: ids.map((id) => `floor=${id}`), signInUrl: '' })
}

/** The server that does onramp's work with nothing clever. */
export async function startPlain(around: Surroundings): Promise<Contestant> {
  const { url, ...plain } = await startHere(around, 'plain', {})
  let person = 0
  const cookies = await enter(around.people, () => follow('plain', `${url}/enter/${person++}`, 'first page'))
  return await checked({ ...plain, cookies, signInUrl: '' })
}

/** One in ten has left for an app and is not back. */
export async function leaveForAnApp({ name, port, cookies }: Contestant): Promise<void> {
  for (let person = 0; person < cookies.length; person += 10) {
    const response = await fetch(`http://127.0.0.1:${port}/onboarding/connect/slack_1`, {
      headers: { cookie: cookies[person] ?? '', accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    await response.body?.cancel()
    const { status } = response
    if (status !== 303) throw new Error(`${name} answers ${status} to someone who leaves for an app`)
  }
}

/** A session must bring the page with all five datasources, or there is nothing to compare. */
async function checked(contestant: Omit<Contestant, 'pageBytes' | 'asked'>): Promise<Contestant> {
  const response = await fetch(`http://127.0.0.1:${contestant.port}/onboarding`, {
    headers: { cookie: contestant.cookies.at(-1) ?? '', accept: 'text/html' },
    redirect: 'manual',
  })
  const html = await response.text()
  const whole = ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence'].every((name) => html.includes(name))
  if (response.status !== 200 || !whole)
    throw new Error(`${contestant.name} answers ${response.status}, not the page with five datasources`)
  return { ...contestant, asked: 0, pageBytes: Buffer.byteLength(html) }
}
