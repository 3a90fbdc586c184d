// The authorization server: is it there, and is it the one that OIDC_ISSUER names?
import type { Check } from '../check.ts'
import { ok, skip } from '../finding.ts'

export const discovery: Check = {
  id: 'authorization-server.discovery',
  about: 'The authorization server',
  group: 'Authorization server',
  network: true,
  async look({ authorizationServer, settings: { OIDC_ISSUER: issuer } }) {
    const discovered = await authorizationServer()
    if (discovered.kind === 'unknown') return [skip('OIDC_ISSUER cannot be read.')]
    if (discovered.kind === 'missing') return [discovered.finding]
    return [ok(`${issuer} is there and speaks ${discovered.how}.`)]
  },
}
