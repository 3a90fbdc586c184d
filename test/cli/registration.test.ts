// onramp registration forget: replaces the client at the authorization server.
import { afterEach, expect, it } from 'vitest'
import { expectSignedIn, runUnlimited } from '../helpers/signed-in.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { expectSignsIn, start, statusOf } from '../sign-in/at-plain-server.ts'
import { runCommand } from './run-command.ts'

const FORGET = ['registration', 'forget', '--yes']

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

async function startOwn(): Promise<Running> {
  const running = await runUnlimited({ settings: { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' } })
  close = () => running.close()
  return running
}

it('onramp registration forget deletes the client everywhere, and the next start registers a new one', async () => {
  const running = await startOwn()
  await signIn(running, 'ada')
  const before = running.sandbox.requests.find(({ operation }) => operation === 'authorization')?.query
  await running.stopOnramp()
  const { exit, out } = await runCommand(FORGET, running.env)
  expect(exit).toBe(0)
  expect(out).toContain(`Deleted the client ${before?.['client_id']}`)
  expect(out).toContain('removed from the authorization server')
  const managed = running.sandbox.requests.filter(({ operation }) => operation === 'registrationManagement')
  expect(managed.map(({ method }) => method)).toEqual(['GET', 'DELETE'])
  await running.restart()
  await expectSignedIn(running, await signIn(running, 'bob'))
  expect(running.sandbox.count('registration')).toBe(2)
})

it('onramp registration forget reports a missing client, and a server that can’t delete', async () => {
  const { running } = await start()
  await expectSignsIn(running)
  await running.stopOnramp()
  expect((await runCommand(FORGET, running.env)).out).toContain('remove it there yourself')
  expect(await runCommand(FORGET, running.env)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('No client is registered') as string,
  })
})

it.each([401, 404])(
  'onramp registration forget reads %i as a client that is already deleted',
  async (status) => {
    const { running, server } = await start({
      '/register': (checks, own) => {
        const manage = { registration_client_uri: `${own.url}/gone`, registration_access_token: 'to-manage' }
        own.json(checks.res, { ...own.register(checks), ...manage }, 201)
      },
      '/gone': ({ res }, own) => own.json(res, { client_id: [...own.clients.keys()][0] }),
    })
    await expectSignsIn(running)
    server.answers['/gone'] = ({ res }) => void res.writeHead(status).end()
    const { out } = await runCommand(FORGET, running.env)
    expect(out).toContain(`removed from the authorization server already (${status})`)
    expect(out).not.toContain('yourself')
    expect(out).toContain('A running server can keep using it for up to ten minutes: restart it')
  },
)

it('onramp registration forget ends the pause after a failed registration', async () => {
  const { running, server } = await start({ '/register': ({ res }, own) => own.json(res, {}, 201) })
  expect(await statusOf(running, '/sign-in')).toBe(503)
  await running.stopOnramp()
  server.answers = {}
  await runCommand(FORGET, running.env)
  await running.restart()
  await expectSignsIn(running)
})

it('onramp registration forget does nothing without a terminal and without --yes', async () => {
  const running = await startOwn()
  await signIn(running, 'ada')
  const { exit, err } = await runCommand(['registration', 'forget'], running.env)
  expect(exit).toBe(2)
  expect(err).toContain('--yes')
  await running.restart()
  expect(running.sandbox.count('registration')).toBe(1)
})
