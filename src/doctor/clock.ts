// This machine's clock against the Date headers of both servers (RFC 9110 6.6.1: whole seconds). id_tokens are accepted
// with 30 seconds of difference, not more.
import type { Subject } from './check.ts'
import { fail, missing, ok, skip, warn, type Finding } from './finding.ts'
import { askWithMadeUpToken } from './service/service.ts'

const TOLERATED_SECONDS = 30
const NOTED_SECONDS = 10

type Times = { theirs: number | undefined; ours: number }

/** Pure. Times are milliseconds since 1970. */
export function skewFinding(whose: string, { theirs, ours }: Times): Finding {
  if (theirs === undefined) return skip(`${whose} sent no Date header.`)
  const seconds = Math.round((ours - theirs) / 1000)
  const far = Math.abs(seconds)
  if (far <= NOTED_SECONDS) return ok(`This machine's clock matches ${whose}.`)
  const amount = far < 120 ? `${far} seconds` : `${Math.round(far / 60)} minutes`
  const says = `This machine's clock is ${amount} ${seconds > 0 ? 'ahead of' : 'behind'} ${whose}`
  const fix = "sync this machine's clock (NTP)"
  return far > TOLERATED_SECONDS
    ? fail(`${says}; onramp rejects sign-ins if they differ by more than ${TOLERATED_SECONDS} seconds.`, {
        fix,
      })
    : warn(`${says}.`, { fix })
}

export async function clockOfAuthorizationServer({ authorizationServer }: Subject): Promise<Finding> {
  const discovered = await authorizationServer()
  return discovered.kind === 'found'
    ? skewFinding('the authorization server', discovered.answer)
    : missing('server metadata')
}

export async function clockOfService(subject: Subject): Promise<Finding> {
  const reply = await askWithMadeUpToken(subject)
  return reply === undefined || reply.kind === 'silent'
    ? missing('a response from the service')
    : skewFinding('the service', reply)
}
