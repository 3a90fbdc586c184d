// The compared servers, each in a separate process, with people signed in.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { spawnNode, startOnramp, untilServing } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { createPageLoad, repeat, signInFrom } from './load.ts'

export type Contestant = {
  name: string
  pid: number
  openPage: () => Promise<string>
  /** Signs a new person in, up to the first page. */
  signIn: () => Promise<string>
  pageBytes: number
}

/** Options of all contestants. `pin`: the processors of the server under test. */
export type Setting = { neighbours: string; people: number; redisUrl: string; pin: string | undefined }

const CONNECTIONS = 32
const APPS = ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence']
const newSecret = () => randomBytes(32).toString('base64url')

type Server = { name: string; pid: number; port: number; signIn: () => Promise<string> }

/** Signs everyone in. @throws unless their page has all five apps */
async function enter({ name, pid, port, signIn }: Server, people: number): Promise<Contestant> {
  const cookies: string[] = []
  await repeat({ connections: CONNECTIONS, times: people }, async () => cookies.push(await signIn()))
  const openPage = createPageLoad(port, cookies)
  const html = await openPage()
  if (name === 'onramp') await leaveForAnApp(port, cookies)
  if (!APPS.every((app) => html.includes(app))) throw new Error(`the page of ${name} lacks apps`)
  return { name, pid, openPage, signIn, pageBytes: Buffer.byteLength(html) }
}

/** One in ten has left for an app and is not back; plain-server.ts does the same. */
async function leaveForAnApp(port: number, cookies: readonly string[]): Promise<void> {
  for (const cookie of cookies.filter((_, index) => index % 10 === 0)) {
    const response = await fetch(`http://127.0.0.1:${port}/onboarding/connect/slack_1`, {
      headers: { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    await response.body?.cancel()
    if (response.status !== 303) throw new Error(`onramp answered ${response.status} to someone who leaves`)
  }
}

/** Onramp as in production: its entry point, with settings from the environment. */
export async function enterOnramp({ neighbours, people, redisUrl, pin }: Setting): Promise<Contestant> {
  const port = await freePort()
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SERVICE_BASE_URL: neighbours,
    OIDC_ISSUER: neighbours,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: newSecret(),
    SESSION_SECRET: newSecret(),
    SIGN_INS_PER_MINUTE: '1000000',
    REDIS_URL: `${redisUrl}/1`,
  }
  const { pid, url } = await startOnramp(env, { pin })
  const start = new URL('/sign-in?return_to=%2Fonboarding', url).href
  const signIn = () => signInFrom(start)
  return await enter({ name: 'onramp', pid, port, signIn }, people)
}

async function startBeside(setting: Setting, name: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    PORT: String(port),
    REDIS_URL: setting.redisUrl,
    SERVICE_BASE_URL: setting.neighbours,
    ISSUER: setting.neighbours,
    CLIENT_SECRET: newSecret(),
    SECRET: newSecret(),
    NODE_ENV: 'production',
  }
  const server = spawnNode([fileURLToPath(new URL(`${name}-server.ts`, import.meta.url))], env, setting.pin)
  await untilServing(server, url)
  return { name, pid: server.pid, port, url }
}

export async function enterPeer(setting: Setting): Promise<Contestant> {
  const { url, ...server } = await startBeside(setting, 'peer')
  return await enter({ ...server, signIn: () => signInFrom(`${url}/onboarding`) }, setting.people)
}

export async function enterPlain(setting: Setting): Promise<Contestant> {
  const { url, ...server } = await startBeside(setting, 'plain')
  let person = 0
  return await enter({ ...server, signIn: () => signInFrom(`${url}/enter/${person++}`) }, setting.people)
}
