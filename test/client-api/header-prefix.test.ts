// SERVICE_HEADER_PREFIX, for a service whose headers have another prefix: requests, and the error about a wrong setting.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { newSecret, startFaulty, type Faulty } from '../doctor/setup.ts'

const missing = (name: string) => `Required header missing: X-Acme-Search-${name}`

let service: Faulty
beforeAll(async () => {
  service = await startFaulty((req, res) => {
    const token = req.headers.authorization
    const [actAs, authType] = ['actas', 'auth-type'].map((name) => req.headers[`x-acme-search-${name}`])
    if (token === 'Bearer global' ? actAs === undefined : authType !== 'OAUTH')
      res.writeHead(400).end(missing(token === 'Bearer global' ? 'ActAs' : 'Auth-Type'))
    else if (token === 'Bearer global' || token === 'Bearer of-ada')
      res.end('{"unauthorizedDatasourceInstances":[]}')
    else res.writeHead(401).end('Unauthorized')
  })
})
afterAll(() => service.close())

const env = (changed: Record<string, string> = {}) => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  SERVICE_BASE_URL: service.url,
  OIDC_ISSUER: 'https://login.acme.test',
  TOKEN_ISSUED_BY: 'external-idp',
  SESSION_SECRET: newSecret() + newSecret(),
  SERVICE_GLOBAL_TOKEN: 'global',
  ...changed,
})
const right = { SERVICE_HEADER_PREFIX: 'X-Acme-Search' }

it('onramp status sends the service’s own header prefix', async () => {
  const status = (changed: Record<string, string>) => runCommand(['status', 'ada@acme.example'], env(changed))
  expect((await status(right)).out).toBe('ada@acme.example has nothing left to connect.\n')
  const { exit, err } = await status({})
  expect(exit).toBe(5)
  expect(err).toContain("The service's headers begin with X-Acme-Search, and onramp sends X-Service.")
  expect(err).toContain('SERVICE_HEADER_PREFIX: set it to X-Acme-Search')
})
