// The rotation of SESSION_SECRET: people stay signed in while the old secret is listed, and longer-lived records are
// kept for good. With only another secret, the server refuses to start, with advice.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectSignedIn } from '../helpers/signed-in.ts'
import { runCommand } from '../cli/run-command.ts'
import { spawnOnramp, until } from '../helpers/processes.ts'
import { invite, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { stores } from '../helpers/stores.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

const newSecret = () => randomBytes(32).toString('base64url')

describe.each(stores)('SESSION_SECRET on %s', (_title, open) => {
  const [OLD, NEW, NEXT] = [newSecret(), newSecret(), newSecret()]
  const settings = { SESSION_SECRET: OLD, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }
  const store = shared(open)
  const running = shared(() => run({ settings: { ...store.settings, ...settings } }))

  const openOverview = async (browser: TestBrowser) => {
    await browser.open(`${running.url}/onboarding`)
    return browser.page.body
  }

  it('a rotation of SESSION_SECRET keeps sign-ins, walks, opt-outs and the client', async () => {
    const browser = await signIn(running, 'ada')
    await browser.submit('/onboarding/skip/')
    const isSkipped = /action="(\/onboarding\/unskip\/\w+)"/.exec(await openOverview(browser))?.[1] ?? 'none'
    expect(isSkipped).toContain('unskip')
    const token = invite(running, { email: 'carol@acme.example' })
    await browser.post(`${running.url}/invite/${token}/opt-out`)

    await running.restart({ SESSION_SECRET: `${NEW},${OLD}` })
    await expectSignedIn(running, browser)
    expect(await openOverview(browser)).toContain(isSkipped)

    await running.restart({ SESSION_SECRET: NEW })
    const again = await signIn(running, 'ada')
    expect(await openOverview(again)).toContain(isSkipped)
    expect(running.sandbox.count('registration')).toBe(1)
    const report = await runCommand(['invite', 'report', '--json'], { ...running.env, SESSION_SECRET: NEW })
    expect(JSON.parse(report.out)).toMatchObject({ optedOut: 1 })
  })

  it('a back-channel logout ends the sign-ins of both secrets', async () => {
    const browser = await signIn(running, 'bob')
    await running.restart({ SESSION_SECRET: `${NEXT},${NEW}` })
    const other = await signIn(running, 'bob')
    await running.sandbox.endSessions('bob')
    for (const one of [browser, other]) {
      await one.open(`${running.url}/api/status`)
      expect(one.page.status).toBe(401)
    }
  })

  it('a server with only another secret refuses to start', async () => {
    await running.stopOnramp()
    const env = { ...running.env, SESSION_SECRET: newSecret() }
    const child = spawnOnramp(env)
    await until(() => child.hasEnded(), 'the end of onramp')
    expect((await child.end('SIGKILL')).code).toBe(78)
    expect(child.output()).toContain('add the former secret to SESSION_SECRET as the second one')
    expect(child.output()).toContain('REDIS_PREFIX or DATA_DIR')

    expect(await runCommand(['store', 'adopt'], env)).toMatchObject({ exit: 2 })
    expect(await runCommand(['store', 'adopt', '--yes'], env)).toMatchObject({ exit: 0 })
    const refused = await runCommand(['registration', 'forget', '--yes'], running.env)
    expect(refused).toMatchObject({
      exit: 78,
      err: expect.stringContaining('add the former secret') as string,
    })
    await running.restart({ SESSION_SECRET: env.SESSION_SECRET })
    await expectSignedIn(running, await signIn(running, 'ada'))
    const again = await runCommand(['store', 'adopt', '--yes'], env)
    expect(again.out).toContain('nothing was changed')
  })
})
