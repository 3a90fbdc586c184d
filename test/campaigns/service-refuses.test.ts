// A service that rejects the token, or a wrong SERVICE_BASE_URL: the run names the setting, and blames no person.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { shared } from '../helpers/shared.ts'
import { runCommand } from '../cli/run-command.ts'
import { newSecret, startScriptedServer } from '../doctor/setup.ts'

type Reply = [status: number, body: string, headers: Record<string, string>]

let responseTo: (person: string) => Reply
const service = shared(() =>
  startScriptedServer((req, res) => {
    const [status, body, headers] = responseTo(req.headers['x-service-actas']?.toString() ?? '')
    res.writeHead(status, headers).end(body)
  }),
)
const folder = useFolder()

async function send(people: number) {
  const list = join(folder, 'people.csv')
  writeFileSync(list, `email\n${Array.from({ length: people }, (_, n) => `p${n}@acme.example\n`).join('')}`)
  service.requests.length = 0
  const settings = {
    PUBLIC_URL: 'https://onramp.acme.test',
    SERVICE_BASE_URL: service.url,
    OIDC_ISSUER: 'https://login.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    SERVICE_GLOBAL_TOKEN: 'global',
    DATA_DIR: join(folder, newSecret()),
  }
  return await runCommand(['invite', 'send', list, '--dry-run', '--rate', '1000'], settings)
}

const page = { 'content-type': 'text/html' }
const OF_SIGN_INS = /OIDC_|TOKEN_ISSUED_BY|PUBLIC_URL|people's own tokens/

it.each<[...Reply, RegExp]>([
  [401, 'Unauthorized', {}, /SERVICE_GLOBAL_TOKEN is invalid or expired/],
  [400, 'Invalid URL', {}, /The reason: “Invalid URL”/],
  [400, 'Invalid Secret', {}, /SERVICE_GLOBAL_TOKEN isn't a service token/],
  [404, 'Required header missing: X-Service-ActAs', {}, /make sure no proxy .* SERVICE_BASE_URL removes/],
  [403, 'Forbidden', {}, /SERVICE_GLOBAL_TOKEN lacks a scope: grant it the scope for checkdatasourceauth/],
  [403, '<h1>Not allowed</h1>', page, /something in front of the service, such as a firewall or login page/],
])('a run ends after five responses %i %s, and names the setting', async (status, body, headers, words) => {
  responseTo = () => [status, body, headers]
  const { exit, err } = await send(9)
  expect(err.split('\n').find((line) => line.startsWith('onramp invite send'))).toMatch(words)
  expect(err).not.toMatch(OF_SIGN_INS)
  expect(exit).toBe(1)
  // The first call, without a person, shows that the token isn't a personal one. Three people are checked at a time.
  expect(service.requests.length).toBeGreaterThanOrEqual(6)
  expect(service.requests.length).toBeLessThanOrEqual(8)
})

// prettier-ignore
it.each<[...Reply, RegExp]>([
  [404, 'Not Found', {}, /: couldn't make sure that .* 404: check SERVICE_BASE_URL, including its path/],
  [407, '', {}, /retrying won't help/],
  [503, '', { 'retry-after': '61' }, /: the service failed: .* 503, so .* token\. Nothing was sent\.$/],
  [500, 'Oops', { 'retry-after': '61' }, /: the service failed: .* responded 500, so onramp couldn't make sure/],
])('a run ends at once if %i %s shows no global token', async (status, body, headers, words) => {
  responseTo = (person) =>
    person === '' ? [status, body, headers] : [200, '{"unauthorizedDatasourceInstances":[]}', {}]
  const { exit, err } = await send(3)
  expect(err.split('\n').find((line) => line.startsWith('onramp invite send'))).toMatch(words)
  expect(err).not.toMatch(OF_SIGN_INS)
  expect([exit, service.requests.length]).toEqual([1, 1])
})

it.each([0, 1])(
  'a person blocked by a firewall (row %i) is named, and the others are checked',
  async (row) => {
    responseTo = (person) =>
      person === ''
        ? [401, 'Unauthorized', {}]
        : person.startsWith(`p${row}@`)
          ? [403, '<h1>Blocked</h1>', page]
          : [200, '{"unauthorizedDatasourceInstances":[]}', {}]
    const { exit, err } = await send(3)
    expect(err).toContain(`p${row}@acme.example: refused by the service: checkdatasourceauth responded 403`)
    expect(err).toMatch(/^ +2 {2}not due/m)
    expect(exit).toBe(3)
  },
)
