// Where REDIS_SENTINELS is set, the primary is who the Sentinels say it is; REDIS_URL gives user, password and TLS.
import type { Settings } from '../settings.ts'
import { fail, type Finding } from './check.ts'
import { connectProbe, unreachableInWords } from './redis-probe.ts'

type Target = { url: string; settings: readonly string[] } | { finding: Finding }

const hostOf = (host: string) => (host.includes(':') ? `[${host}]` : host)

export async function primaryUrl(settings: Partial<Settings>, url: string): Promise<Target> {
  const { REDIS_SENTINELS: sentinels = [], REDIS_SENTINEL_NAME: name = 'mymaster' } = settings
  const [first] = sentinels
  if (first === undefined) return { url, settings: ['REDIS_URL'] }
  let why = 'nothing listens there'
  for (const { host, port } of sentinels) {
    const probe = await connectProbe(`redis://${hostOf(host)}:${port}`)
    if (typeof probe === 'string') {
      why = unreachableInWords[probe]
      continue
    }
    const primary = await probe.send(['SENTINEL', 'get-master-addr-by-name', name]).catch(() => undefined)
    probe.close()
    if (!Array.isArray(primary))
      return {
        finding: fail('The Sentinels know no primary of that name.', {
          settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'],
          mend: 'set it to what the Sentinels call the primary',
        }),
      }
    const target = new URL(url)
    target.hostname = hostOf(String(primary[0]))
    target.port = String(primary[1])
    return { url: target.href, settings: ['REDIS_SENTINELS', 'REDIS_URL'] }
  }
  return {
    finding: fail(`No Sentinel can be reached: ${why}.`, {
      settings: ['REDIS_SENTINELS'],
      mend: 'name the Sentinels as name:port',
    }),
  }
}
