// Where REDIS_SENTINELS is set, the primary is who the Sentinels say it is. They are asked by the server's own code, so
// with the same TLS and password.
import { NoSuchPrimary, primaryUrl } from '../../records/redis-clients.ts'
import { rootOf } from '../../records/store-trouble.ts'
import type { Settings } from '../../settings/settings.ts'
import { topologyOf } from '../../records/store.ts'
import { fail, type Finding } from '../finding.ts'
import { unreachable, unreachableInWords } from './probe.ts'

type Target = { url: string; settings: readonly string[] } | { finding: Finding }

function findingOf(failure: unknown): Finding {
  const reason = rootOf(failure)
  if (reason instanceof NoSuchPrimary)
    return fail('The Sentinels know no primary of that name.', {
      settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'],
      mend: 'set it to what the Sentinels call the primary',
    })
  if (reason instanceof Error && /unknown command/i.test(reason.message))
    return fail('What answers at REDIS_SENTINELS is not a Sentinel.', {
      settings: ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME'],
      mend: 'name the Sentinels (port 26379 as a rule), or leave REDIS_SENTINELS out',
    })
  return fail(`No Sentinel can be reached: ${unreachableInWords[unreachable(reason)]}.`, {
    settings: ['REDIS_SENTINELS', 'REDIS_URL'],
    mend: 'name the Sentinels as name:port; password and TLS (rediss://) are those of REDIS_URL',
  })
}

/** The address of the primary with the user, password, TLS and database of REDIS_URL. */
export async function primaryOf(settings: Partial<Settings>, url: string): Promise<Target> {
  const topology = topologyOf(settings)
  if (topology.kind !== 'sentinel') return { url, settings: ['REDIS_URL'] }
  try {
    const primary = await primaryUrl(url, topology)
    return { url: primary, settings: ['REDIS_SENTINELS', 'REDIS_URL'] }
  } catch (error) {
    return { finding: findingOf(error) }
  }
}
