// onramp status: output and exit code for every response of the service.
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { shared } from '../helpers/shared.ts'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { runCommand } from './run-command.ts'

const sandbox = shared(() => startSandbox())
const folder = useFolder()
afterEach(() => sandbox.reset())

const global = () => ({
  SERVICE_BASE_URL: sandbox.urls.service,
  SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.global,
})
const user = (person: string) => ({
  SERVICE_BASE_URL: sandbox.urls.service,
  SERVICE_USER_TOKEN: sandbox.serviceTokens.user(person),
})
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const status = (env: NodeJS.ProcessEnv, ...args: string[]) => runCommand(['status', ...args], env)

it('onramp status shows a person’s unconnected apps, with one check', async () => {
  sandbox.clearRequests()
  const { exit, out, err } = await status(global(), 'bob@acme.example')
  expect([exit, err]).toEqual([0, ''])
  expect(out).toMatch(
    /bob@acme.example: 2 apps left to connect\n\n {2}Slack +slack_1 +to connect\n {2}Google Drive +gdrive_1/,
  )
  // Contract 5, rule 2: without a person a global token is rejected, which distinguishes it from a personal one.
  expect(sandbox.requests.map((sent) => [sent.status, sent.headers['x-service-actas']])).toEqual([
    [401, undefined],
    [200, 'bob@acme.example'],
  ])
})

it.each([
  ['carol', /^carol@acme.example has nothing left to connect\.$/],
  [
    'frank',
    /^frank@acme.example: 4 apps left to connect[^]*GitHub +github_1 +search says it's turned off\n[^]*Box +box_1 +can't be connected: no usable link/,
  ],
])('onramp status counts the connectable apps of %s, as the page does', async (who, wording) => {
  expect((await status(global(), `${who}@acme.example`)).out.trimEnd()).toMatch(wording)
})

it('onramp status prints JSON without any one-time path', async () => {
  const { out } = await status(global(), 'frank@acme.example', '--json')
  expect(JSON.parse(out)).toEqual({
    schema_version: 1,
    person: 'frank@acme.example',
    left: [
      { instance: 'slack_1', name: 'Slack', status: 'stale' },
      { instance: 'github_1', name: 'GitHub', status: 'disabled' },
      { instance: 'gdrive_1', name: 'Google Drive', status: 'awaiting' },
      { instance: 'jira_1', name: 'Jira', status: 'awaiting' },
      { instance: 'salesforce_1', name: 'salesforce_1', status: 'awaiting' },
      { instance: 'box_1', name: 'Box', status: 'attention' },
    ],
  })
  expect(out).not.toMatch(/auth\/datasource|token=/)
})

it('onramp status with a user token is limited to its owner, with a note', async () => {
  const ownStatus = await status(user('bob'))
  expect(ownStatus.err).toContain('owner of SERVICE_USER_TOKEN')
  expect(ownStatus.out).toContain("The token's owner: 2 apps")
  expect(JSON.parse((await status(user('bob'), '--json')).out)).toMatchObject({ person: null })
})

it('onramp status rejects a personal token for another person, or as the global token', async () => {
  sandbox.clearRequests()
  const otherStatus = await status(user('bob'), 'ada@acme.example')
  expect(otherStatus.exit).toBe(2)
  expect(otherStatus.out).toBe('')
  expect(sandbox.requests).toEqual([])
  expect(otherStatus.err).toContain('SERVICE_USER_TOKEN only looks up its owner')
  const misplaced = { ...global(), SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.user('bob') }
  const { exit, out, err } = await status(misplaced, 'ada@acme.example', '--json')
  expect([exit, out]).toEqual([78, ''])
  expect(err).toMatch(/SERVICE_GLOBAL_TOKEN holds a personal token.* SERVICE_GLOBAL_TOKEN: set a global/)
})

it('onramp status shows no apps if it can’t tell whether the token is global', async () => {
  const misplaced = { ...global(), SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.user('bob') }
  sandbox.switches.set({ answers: { checkdatasourceauth: { status: 503, body: 'down', times: 1 } } })
  const { exit, out, err } = await status(misplaced, 'ada@acme.example')
  expect([exit, out]).toEqual([7, ''])
  expect(err).toMatch(/returned an error \(503\)/)
})

it('onramp status reads the token from a file', async () => {
  const file = join(folder, 'token')
  writeFileSync(file, `${sandbox.serviceTokens.global}\n`, { mode: 0o600 })
  const env = { SERVICE_BASE_URL: sandbox.urls.service, SERVICE_GLOBAL_TOKEN_FILE: file }
  expect(await status(env, 'bob@acme.example')).toMatchObject({ exit: 0, err: '' })
  chmodSync(file, 0o644)
  expect(await status(env, 'bob@acme.example')).toMatchObject({
    exit: 0,
    err: expect.stringContaining('every user'),
  })
})

it('onramp status fits long names on 80 columns, and lets none control the terminal', async () => {
  const { out } = await runCommand(['status', 'eve@acme.example'], global(), { isTTY: true, columns: 80 })
  const lines = stripVTControlCharacters(out).split('\n')
  expect(lines.filter((line) => [...graphemes.segment(line)].length > 80)).toEqual([])
  expect(stripVTControlCharacters(out)).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
})

it('onramp status uses colors only on a terminal without NO_COLOR', async () => {
  const outputWith = async (env: object, terminal: object) =>
    (await runCommand(['status', 'bob@acme.example'], { ...global(), ...env }, terminal)).out
  const terminal = { isTTY: true, columns: 80 }
  expect(await outputWith({}, terminal)).toContain('\u001B[')
  expect(await outputWith({ NO_COLOR: '1' }, terminal)).not.toContain('\u001B[')
  expect(await outputWith({}, {})).not.toContain('\u001B[')
})

it.each([
  'ada@acme.example,bob@acme.example',
  '"ada lovelace"@acme.example',
  'ada@acme.example\r\nX-Other: 1',
  `${'a'.repeat(250)}@acme.example`,
])('%j isn’t one plain address, and is refused before any request', async (email) => {
  sandbox.clearRequests()
  const { exit, out, err } = await status(global(), email)
  expect([exit, out]).toEqual([2, ''])
  expect(err).not.toContain(email)
  expect(sandbox.requests).toEqual([])
})

// test/client-api/errors.test.ts covers the error responses; here each exit code has one case.
// prettier-ignore
it.each<[string, object, number, RegExp]>([
  ['a rejected token', { status: 401, body: 'Unauthorized' }, 3, /SERVICE_GLOBAL_TOKEN/],
  ['a missing scope', { status: 403, body: 'Forbidden' }, 4, /scope/],
  ['a missing header', { status: 400, body: { message: 'Required header missing: X-Service-ActAs' } }, 5, /removes the header/],
  ['an unknown person', { status: 400, body: 'X-Service-ActAs names no one' }, 5, /rejected the person/],
  ['a token that may not act for them', { status: 403, body: 'X-Service-ActAs: not allowed' }, 4, /scope/],
  ['too many requests', { status: 429, body: '', headers: { 'retry-after': '17' } }, 6, /17 seconds/],
  ['a failing service', { status: 503, body: 'down' }, 7, /returned an error/],
  ['a service that doesn’t respond', { hang: true }, 7, /timed out/],
  ['another address', { status: 404, body: '' }, 78, /SERVICE_BASE_URL/],
  ['a response without a list', { status: 200, body: {} }, 78, /SERVICE_BASE_URL/],
  ['a firewall', { status: 403, body: '<h1>No</h1>', contentType: 'text/html' }, 1, /in front of the/],
  ['a rejected request', { status: 422, body: '' }, 1, /422/],
  ['a conflict', { status: 409, body: '' }, 7, /409/],
])('each failure has one line and an exit code: %s', async (_title, answer, code, wording) => {
  sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
  const { exit, out, err } = await status(global(), 'ada@acme.example', '--timeout', '1')
  expect([exit, out]).toEqual([code, ''])
  expect(err).toMatch(wording)
  expect(err.trim().split('\n')).toHaveLength(1)
  expect(err).not.toContain(sandbox.serviceTokens.global)
})

it.each([400, 404, 422])('a %i for the person alone says that no one has the address', async (code) => {
  const server = createServer(({ headers }, res) =>
    res.writeHead(headers['x-service-actas'] === undefined ? 401 : code).end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = { SERVICE_BASE_URL: `http://127.0.0.1:${port}`, SERVICE_GLOBAL_TOKEN: 'global' }
  const { exit, err } = await status(env, 'ada@acme.example')
  expect(exit).toBe(5)
  expect(err).toContain(`The service rejected the person (${code}`)
  server.close()
})

const noOther = (token: object) => ({ SERVICE_BASE_URL: sandbox.urls.service, ...token })
// prettier-ignore
it.each<[string, () => object, string[], number, string]>([
  ['a person unknown to the service', global, ['nobody@acme.example'], 5, 'check the address'],
  [
    'a global token in place of a personal one',
    () => noOther({ SERVICE_USER_TOKEN: sandbox.serviceTokens.global }),
    [],
    5,
    'SERVICE_GLOBAL_TOKEN: move the token here',
  ],
  ['no setting', () => ({}), ['ada@acme.example'], 78, 'SERVICE_BASE_URL'],
  ['no token', () => noOther({}), ['ada@acme.example'], 78, 'SERVICE_GLOBAL_TOKEN'],
  ['an invalid token', () => noOther({ SERVICE_GLOBAL_TOKEN: 'a\u00e9' }), ['a@b.example'], 78, 'invalid in a bearer'],
  ['a token that needs an address, without one', global, [], 2, 'EMAIL is required'],
])('onramp status with %s gives an exit code and advice', async (_title, env, args, code, words) => {
  const { exit, out, err } = await status(env() as NodeJS.ProcessEnv, ...args)
  expect(exit).toEqual(code)
  expect(out).toBe('')
  expect(err).toEqual(expect.stringContaining(words))
})
