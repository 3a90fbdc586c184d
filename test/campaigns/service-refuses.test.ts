// What a run says where the service refuses its token, or isn't at SERVICE_BASE_URL: nothing about people, and the setting
// to change.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GLOBAL_TOKEN, refused } from '../client-api/refused.ts'
import { runCommand } from '../cli/run-command.ts'
import { newSecret, startFaulty, type Faulty } from '../doctor/set-up.ts'

/** What the service answers a person with; 401 where no one is named, as to a made-up token. */
let answerTo: (person: string) => [status: number, body: string, headers?: Record<string, string>]
let isAtRoot = true
let service: Faulty
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-refused-'))
  service = await startFaulty((req, res) => {
    const person = req.headers['x-service-actas']?.toString()
    const [status, body, headers = {}] =
      person === undefined && isAtRoot ? [401, 'Unauthorized'] : answerTo(person ?? '')
    res.writeHead(status, headers).end(body)
  })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

async function send(people: number, env: Record<string, string> = {}) {
  const list = join(folder, 'people.csv')
  writeFileSync(list, `email\n${Array.from({ length: people }, (_, n) => `p${n}@acme.example\n`).join('')}`)
  service.seen.length = 0
  const settings = {
    PUBLIC_URL: 'https://onramp.acme.test',
    SERVICE_BASE_URL: service.url,
    OIDC_ISSUER: 'https://login.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    SERVICE_GLOBAL_TOKEN: 'global',
    DATA_DIR: join(folder, newSecret()),
    ...env,
  }
  return await runCommand(['invite', 'send', list, '--dry-run', '--at-once', '1', '--rate', '1000'], settings)
}

const OF_OTHERS = /p\d+@acme|OIDC_|TOKEN_ISSUED_BY|PUBLIC_URL|tokens of people|have all left|knows no one/

it.each<[number, string, RegExp]>([
  [401, 'Unauthorized', /SERVICE_GLOBAL_TOKEN is invalid or expired/],
  [400, 'Invalid Secret', /SERVICE_GLOBAL_TOKEN isn't a service token/],
  [404, 'Required header missing: X-Service-ActAs', /make sure no proxy .* SERVICE_BASE_URL removes/],
])('a run ends with the first answer where it is %i %s', async (status, body, words) => {
  answerTo = () => [status, body]
  const { exit, err } = await send(2)
  expect(err).toMatch(words)
  expect(err).not.toMatch(OF_OTHERS)
  expect(exit).toBe(1)
  expect(service.seen).toHaveLength(1)
})

const page = { 'content-type': 'text/html' }
it.each<[number, Record<string, string>]>([
  [403, page],
  [401, { ...page, 'www-authenticate': 'Basic realm="proxy"' }],
  [400, page],
])(
  'a page of a firewall (%i) ends a run as such, and says nothing about people or the token',
  async (status, headers) => {
    answerTo = () => [status, '<h1>Not allowed</h1>', headers]
    isAtRoot = false
    const { exit, err } = await send(2).finally(() => (isAtRoot = true))
    expect(err).toContain('something in front of the service seems to have answered')
    expect(err).not.toMatch(OF_OTHERS)
    expect(err).not.toContain('SERVICE_GLOBAL_TOKEN')
    expect(exit).toBe(1)
  },
)

it.each([0, 1])(
  'a person whom a firewall blocks (row %i) is named, and the others are looked up',
  async (row) => {
    const nothing = '{"unauthorizedDatasourceInstances":[]}'
    answerTo = (person) => (person.startsWith(`p${row}@`) ? [403, '<h1>Blocked</h1>', page] : [200, nothing])
    const { exit, err } = await send(3)
    expect(err).toContain(
      `p${row}@acme.example: no usable answer from the service: checkdatasourceauth answered 403`,
    )
    expect(err).toMatch(/^ +2 +.*nothing/m)
    expect(exit).toBe(3)
  },
)

it.each<[number, string, Record<string, string>, string]>([[407, '', {}, 'would not accept it again']])(
  'an answer that says nothing (%i) is told with what it was',
  async (status, body, headers, words) => {
    answerTo = () => [status, body, headers]
    const { exit, err } = await send(1)
    expect(err).toMatch(new RegExp(`p0@acme.example: no usable answer from the service: .*${words}`))
    expect(err).toContain('Check SERVICE_BASE_URL')
    expect(exit).toBe(3)
  },
  30_000,
)

it('a run ends where another server answers everything with 400, and quotes it', async () => {
  answerTo = () => [400, 'Invalid URL']
  isAtRoot = false
  const { exit, err } = await send(1).finally(() => (isAtRoot = true))
  expect(err).toContain('It said: “Invalid URL”')
  expect(err).not.toMatch(OF_OTHERS)
  expect(exit).toBe(1)
})

it('a run ends where the Client API is elsewhere, and calls no one unknown', async () => {
  answerTo = () => [404, 'Not Found']
  isAtRoot = false
  const { exit, err } = await send(1).finally(() => (isAtRoot = true))
  expect(err).toContain('404: check SERVICE_BASE_URL, including its path')
  expect(err).not.toMatch(OF_OTHERS)
  expect(exit).toBe(1)
})

it('a first person whom the service does not know is told as unknown also where it answers 404', async () => {
  answerTo = (person) =>
    person.startsWith('p0@') ? [404, 'no such person'] : [200, '{"unauthorizedDatasourceInstances":[]}']
  const { exit, err } = await send(2)
  expect(exit).toBe(0)
  expect(err).toContain('p0@acme.example: unknown')
})

it('everyone being refused with 403 is a matter of the scope of the service token', async () => {
  answerTo = () => [403, 'Forbidden']
  const { exit, err } = await send(12)
  expect(exit).toBe(1)
  expect(err).toContain('SERVICE_GLOBAL_TOKEN lacks a scope: grant it the scope for checkdatasourceauth')
  expect(err).not.toMatch(/OIDC_|TOKEN_ISSUED_BY/)
})

describe('a refusal of SERVICE_GLOBAL_TOKEN', () => {
  const forGlobal = (status: number, text: string) => refused(status, text, { credentials: GLOBAL_TOKEN })

  it.each<[number, string, RegExp, boolean | undefined]>([
    [401, 'Unauthorized', /SERVICE_GLOBAL_TOKEN is invalid/, undefined],
    [403, 'Forbidden', /grant it the scope/, undefined],
    [400, 'Invalid Secret', /set a service token/, true],
    [403, 'Required header missing: X-Service-Auth-Type', /set a service token/, true],
    [400, 'Required header missing: X-Service-ActAs', /no proxy .* removes the header/, true],
    [400, 'Required header missing: X-Acme-ActAs', /set SERVICE_HEADER_PREFIX=X-Acme$/, true],
    [400, 'Redirect URI is not permitted', /would not accept it again/, undefined],
    [422, '', /would not accept it again/, undefined],
  ])('%i %s names no setting of sign-ins', (status, text, words, isOfEveryone) => {
    const problem = forGlobal(status, text)
    expect(problem.detail).toMatch(words)
    expect(problem.detail).not.toMatch(/OIDC_|TOKEN_ISSUED_BY|PUBLIC_URL|access token is/)
    expect(problem.isOfEveryone).toBe(isOfEveryone)
  })
})
