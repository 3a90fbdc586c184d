// A connection to one Redis that gives up, unlike the server's own, and says why.
import { createClient } from 'redis'
import { rootOf, storeTrouble } from '../../records/store-trouble.ts'

export type Probe = {
  /** A command's answer. @throws whatever Redis answers with */
  send(args: readonly string[]): Promise<unknown>
  close(): void
}

export type Unreachable =
  'unknown-name' | 'refused' | 'too-slow' | 'password-missing' | 'password-wrong' | 'tls' | 'not-redis'

export const unreachableInWords: Record<Unreachable, string> = {
  'unknown-name': 'no machine of that name is known here',
  refused: 'nothing listens there',
  'too-slow': 'it does not answer in time',
  'password-missing': 'it asks for a password',
  'password-wrong': 'it does not accept the user name or the password',
  tls: 'the two do not agree on TLS (redis:// or rediss://), or its certificate is not trusted',
  'not-redis': 'what answers there is not Redis, or closes the connection',
}

const TIME_LIMIT_MS = 4_000

/** @param failure what connecting threw */
export function unreachable(failure: unknown): Unreachable {
  const error = failure instanceof AggregateError ? failure : rootOf(failure)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown-name'
  if (code === 'ECONNREFUSED' || (error instanceof AggregateError && error.errors.length > 0))
    return 'refused'
  if (message.startsWith('NOAUTH')) return 'password-missing'
  if (/^(WRONGPASS|ERR AUTH|ERR invalid password)/.test(message)) return 'password-wrong'
  if (/^(EPROTO|ERR_SSL|ERR_TLS|CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code)) return 'tls'
  return /time|late|no answer within/i.test(`${code} ${message}`) || code === 'ETIMEDOUT'
    ? 'too-slow'
    : 'not-redis'
}

const isAskingForPassword = (error: unknown) => /^(NOAUTH|WRONGPASS)$/.test(storeTrouble(error).code)

function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIME_LIMIT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** @param url may carry user name and password */
export async function connectProbe(url: string): Promise<Probe | Unreachable> {
  const client = createClient({ url, socket: { connectTimeout: TIME_LIMIT_MS, reconnectStrategy: false } })
  // Without a listener the process would die; the reason comes with connect().
  client.on('error', () => {})
  try {
    await within(client.connect())
    // Denied or renamed is an answer too; what may be done is tried later.
    await within(client.ping()).catch((error: unknown) => {
      if (!storeTrouble(error).isRefusal || isAskingForPassword(error)) throw error
    })
    return { send: (args) => within(client.sendCommand([...args])), close: () => client.destroy() }
  } catch (error) {
    if (client.isOpen) client.destroy()
    return unreachable(error)
  }
}
