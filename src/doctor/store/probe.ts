// A connection to one Redis that gives up, unlike the server's own, and says why. Where REDIS_SENTINELS is set, the
// primary is the one that the Sentinels name: the server's own code asks them, so with the same TLS and password.
import { createClient } from 'redis'
import { silenceInWords, silenceOf } from '../../client-api/silence.ts'
import { NoSuchPrimary, primaryUrl, STANDARD_PREFIX } from '../../records/redis-clients.ts'
import { rootOf, storeTrouble } from '../../records/store-trouble.ts'
import { topologyOf } from '../../records/store.ts'
import type { Settings } from '../../settings/settings.ts'
import { within } from '../ask.ts'
import { fail, type Finding } from '../finding.ts'
import { allowAll } from './trial.ts'

export type Probe = {
  /** A command's answer. @throws whatever Redis answers with */
  send(args: readonly string[]): Promise<unknown>
  close(): void
}

const TIME_LIMIT_MS = 4_000

/** @param failure what connecting threw */
function reasonInWords(failure: unknown): string {
  const root = rootOf(failure)
  const message = root instanceof Error ? root.message : ''
  const { code, words, isRefusal, denied } = storeTrouble(failure)
  if (code === 'NOAUTH') return 'it requires a password'
  if (code === 'WRONGPASS' || /^ERR (AUTH|invalid password)/.test(message))
    return 'it rejected the username or password'
  if (denied !== undefined) return `the Redis user in REDIS_URL isn't allowed to use ${denied}`
  if (isRefusal) return words
  if (message.startsWith('ERR DB index')) return 'it has no database with that number'
  if (message.startsWith('ERR max number of clients')) return 'it has too many connections (maxclients)'
  const why = /time|no answer within/i.test(message) ? 'too-slow' : silenceOf(failure)
  if (why === 'certificate' || why === 'no-tls')
    return 'TLS mismatch (redis:// or rediss://), or its certificate is not trusted'
  return why === 'cut-off' ? 'the server there is not Redis, or closed the connection' : silenceInWords(why)
}

const isAskingForPassword = (error: unknown) => /^(NOAUTH|WRONGPASS)$/.test(storeTrouble(error).code)

/** @param url may carry user name and password @throws why it cannot be reached */
async function connect(url: string): Promise<Probe> {
  const client = createClient({ url, socket: { connectTimeout: TIME_LIMIT_MS, reconnectStrategy: false } })
  // Without a listener the process would die; the reason comes with connect().
  client.on('error', () => {})
  try {
    await within(TIME_LIMIT_MS, client.connect())
    // Denied or renamed is an answer too; what is allowed is tried later.
    await within(TIME_LIMIT_MS, client.ping()).catch((error: unknown) => {
      if (!storeTrouble(error).isRefusal || isAskingForPassword(error)) throw error
    })
    const send: Probe['send'] = (args) => within(TIME_LIMIT_MS, client.sendCommand([...args]))
    return { send, close: () => client.destroy() }
  } catch (error) {
    if (client.isOpen) client.destroy()
    throw error
  }
}

function sentinelFinding(failure: unknown): Finding {
  const reason = rootOf(failure)
  if (reason instanceof NoSuchPrimary)
    return fail('The Sentinels know no primary with that name.', {
      settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'],
      fix: 'set it to the name that the Sentinels use for the primary',
    })
  if (reason instanceof Error && /unknown command/i.test(reason.message))
    return fail('The server at REDIS_SENTINELS is not a Sentinel.', {
      settings: ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME'],
      fix: 'list the Sentinels (usually port 26379), or remove REDIS_SENTINELS',
    })
  return fail(`No Sentinel can be reached: ${reasonInWords(reason)}.`, {
    settings: ['REDIS_SENTINELS', 'REDIS_URL'],
    fix: 'list the Sentinels as name:port; onramp uses the password and TLS (rediss://) of REDIS_URL',
  })
}

/** @returns the server or primary, with user, password, TLS and database of REDIS_URL; or why there is none */
export async function openProbe(
  settings: Partial<Settings>,
  redisUrl: string,
): Promise<{ url: string; probe: Probe } | { finding: Finding }> {
  const topology = topologyOf(settings)
  const prefix = settings.REDIS_PREFIX ?? STANDARD_PREFIX
  let url = redisUrl
  try {
    if (topology.kind === 'sentinel') url = await primaryUrl(redisUrl, topology)
  } catch (error) {
    return { finding: sentinelFinding(error) }
  }
  try {
    return { url, probe: await connect(url) }
  } catch (error) {
    const { code, isRefusal } = storeTrouble(error)
    const finding = fail(`Redis cannot be ${isRefusal ? 'used' : 'reached'}: ${reasonInWords(error)}.`, {
      settings: topology.kind === 'sentinel' ? ['REDIS_SENTINELS', 'REDIS_URL'] : ['REDIS_URL'],
      fix:
        code === 'NOPERM'
          ? allowAll({ url, topology, prefix })
          : 'check the host name, port, database, password and redis:// or rediss://',
    })
    return { finding }
  }
}
