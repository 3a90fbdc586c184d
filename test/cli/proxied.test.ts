// Commands use HTTPS_PROXY for outbound calls, too: each command configures it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { useProxy } from '../../src/http/proxy.ts'
import { openStore } from '../../src/records/store.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { Registration } from '../../src/sign-in/registration/registration.ts'
import { createLog } from '../../src/web/log.ts'
import { stubProxy } from '../http/stub-proxy.ts'
import { runCommand } from './run-command.ts'

let proxy: Awaited<ReturnType<typeof stubProxy>>
const folder = useFolder()
let env: Record<string, string>
beforeEach(async () => {
  proxy = await stubProxy('HTTP/1.1 403 No\r\n\r\n')
  env = {
    PUBLIC_URL: 'https://onramp.acme.example',
    SERVICE_BASE_URL: 'https://service.example',
    OIDC_ISSUER: 'https://login.example',
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    SERVICE_GLOBAL_TOKEN: 'abc',
    DATA_DIR: mkdtempSync(join(folder, 'data-')),
    HTTPS_PROXY: `http://${proxy.name}`,
  }
})
afterEach(() => {
  useProxy({})
  proxy.close()
})

const targets = () => [...new Set(proxy.connects.map(({ target }) => target))]

it('onramp status uses the proxy', async () => {
  const { exit, err } = await runCommand(['status', 'ada@acme.example'], env)
  expect(exit).toBe(7)
  expect(err.replaceAll(/\s+/g, ' ')).toContain(
    `the proxy ${proxy.name} refuses to connect to service.example (403)`,
  )
  expect(targets()).toEqual(['service.example:443'])
})

it('onramp invite send uses the proxy', async () => {
  const list = join(folder, 'people.csv')
  writeFileSync(list, 'email\nada@acme.example\n')
  const running = runCommand(['invite', 'send', list, '--dry-run'], env)
  await expect.poll(() => proxy.connects.length).toBeGreaterThan(0)
  // It would retry a few times.
  process.emit('SIGINT')
  expect((await running).exit).toBe(130)
  expect(targets()).toEqual(['service.example:443'])
})

it('onramp registration forget uses the proxy', async () => {
  const settings = loadSettings(env)
  const store = openStore(settings, createLog('silent'))
  const { records } = store
  const keyRing = createKeyRing(records, settings.SESSION_SECRET)
  await new Registration(settings, { records, keyRing, now: Date.now }).ensure(async () => ({
    client_id: 'made',
    registration_client_uri: 'https://login.example/clients/made',
    registration_access_token: 'abc',
  }))
  await store.close()
  const { out } = await runCommand(['registration', 'forget', '--yes'], env)
  expect(out).toContain("didn't respond, so it wasn't removed there")
  expect(targets()).toEqual(['login.example:443'])
})
