// This machine's clock against the Date headers of both servers (RFC 9110 6.6.1: whole seconds). id_tokens are taken
// with 30 seconds of difference, not more.
import type { Check } from './check.ts'
import { fail, ok, skip, warn, type Finding } from './finding.ts'
import { PROBE_TOKEN } from './service/reachable.ts'

const TOLERATED_SECONDS = 30
const NOTED_SECONDS = 10

type Times = { theirs: number | undefined; ours: number }

/** Pure. Times are milliseconds since 1970. */
export function skewFinding(whose: string, { theirs, ours }: Times): Finding {
  if (theirs === undefined) return skip(`${whose} does not tell the time.`)
  const seconds = Math.round((ours - theirs) / 1000)
  const far = Math.abs(seconds)
  if (far <= NOTED_SECONDS) return ok(`This machine's clock and that of ${whose} agree.`)
  const amount = far < 120 ? `${far} seconds` : `${Math.round(far / 60)} minutes`
  const says = `This machine's clock is ${amount} ${seconds > 0 ? 'ahead of' : 'behind'} that of ${whose}`
  const mend = "set this machine's clock by a time server (NTP)"
  return far > TOLERATED_SECONDS
    ? fail(`${says}; sign-ins are refused beyond ${TOLERATED_SECONDS} seconds.`, { mend })
    : warn(`${says}.`, { mend })
}

export const clockOfAuthorizationServer: Check = {
  id: 'authorization-server.clock',
  about: 'The clock',
  group: 'Authorization server',
  network: true,
  async look({ authorizationServer }) {
    const discovered = await authorizationServer()
    return discovered.kind === 'found'
      ? [skewFinding('the authorization server', discovered.answer)]
      : [skip('needs the metadata first.')]
  },
}

export const clockOfService: Check = {
  id: 'service.clock',
  about: 'The clock',
  group: 'Service',
  network: true,
  async look({ service, settings }) {
    const externalIdp = settings.TOKEN_ISSUED_BY === 'external-idp'
    const reply = await service({ kind: 'oauth', accessToken: PROBE_TOKEN, externalIdp })
    return reply === undefined || reply.kind === 'silent'
      ? [skip('needs an answer of the service first.')]
      : [skewFinding('the service', reply)]
  },
}
