// The audit log: people are identifiable only with the server's secret.
import { beforeAll, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { invite, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

type Line = Record<string, unknown>

const running = shared(() => run({ settings: { ADMIN_EMAILS: 'grace@acme.example' } }))
beforeAll(async () => {
  await signIn(running, 'grace', '/admin')
  await signIn(running, 'ada')
  const token = invite(running, { email: 'Ada@acme.example' })
  await new TestBrowser().post(`${running.url}/invite/${token}/opt-out`, { 'List-Unsubscribe': 'One-Click' })
})

const lines = () =>
  running.log.map((line) => JSON.parse(line) as Line).filter(({ audit }) => audit !== undefined)
const idsOf = async (email: string, env: Record<string, string> = {}) => {
  const { exit, out } = await runCommand(['audit-id', email, '--json'], { ...running.env, ...env })
  expect(exit).toBe(0)
  return (JSON.parse(out) as { ids: { id: string; current: boolean }[] }).ids
}

it('the audit log identifies a person by stable ids, never by address or name', () => {
  const all = lines()
  expect(all.map(({ audit }) => audit)).toEqual(
    expect.arrayContaining(['sign_in', 'admin_viewed', 'opted_out']),
  )
  for (const line of all) expect(JSON.stringify(line)).not.toMatch(/acme\.example|Ada|Grace|"email"/)
  const [signedIn, viewed] = ['sign_in', 'admin_viewed'].map((event) =>
    all.find(({ audit }) => audit === event),
  )
  expect(signedIn).toMatchObject({ user: viewed?.['user'], emailId: viewed?.['emailId'] })
  expect(String(signedIn?.['user'])).toMatch(/^[0-9a-f]{16}$/)
  expect(signedIn?.['user']).not.toBe(signedIn?.['emailId'])
})

it('the audit log can be searched by the id of onramp audit-id', async () => {
  const [ada] = await idsOf(' ADA@acme.example ')
  const events = lines().filter(({ emailId }) => emailId === ada?.id)
  expect(events.map(({ audit }) => audit)).toEqual(['sign_in', 'opted_out'])
  const { exit, out, err } = await runCommand(['audit-id', 'ada@acme.example'], running.env)
  expect({ exit, out, err }).toEqual({ exit: 0, out: `${ada?.id}\n`, err: '' })
})

it('the audit log separates addresses that differ in more than ASCII case', async () => {
  const [[kim], [kelvin]] = [await idsOf('kim@acme.example'), await idsOf('\u212aim@acme.example')]
  expect(kelvin?.id).not.toBe(kim?.id)
})

it('audit ids need the secret, and the command prints one for each configured secret', async () => {
  const before = running.env['SESSION_SECRET'] ?? ''
  const after = 'n'.repeat(40)
  const [first] = await idsOf('ada@acme.example')
  const rotated = await idsOf('ada@acme.example', { SESSION_SECRET: `${after},${before}` })
  expect(rotated).toEqual([
    { id: expect.any(String) as string, current: true },
    { id: first?.id, current: false },
  ])
  expect(rotated[0]?.id).not.toBe(first?.id)
  // With a separate INVITE_SECRET, the ids survive a change of SESSION_SECRET.
  const INVITE_SECRET = 'i'.repeat(40)
  expect(await idsOf('ada@acme.example', { INVITE_SECRET })).toEqual(
    await idsOf('ada@acme.example', { INVITE_SECRET, SESSION_SECRET: after }),
  )
})

it.each([['ada'], ['ada@acme.example', 'bob@acme.example']])(
  'onramp audit-id accepts exactly one address, not %j',
  async (...args) => {
    const { exit, out, err } = await runCommand(['audit-id', ...args], running.env)
    expect({ exit, out }).toEqual({ exit: 2, out: '' })
    expect(err).toContain('onramp audit-id --help')
  },
)
