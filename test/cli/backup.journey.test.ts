// Backups of the embedded store while a server writes, and a server on the copy.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { runCommand } from './run-command.ts'

const running = shared(() => run({ sandbox: { mailPort: 0 } }))
let ada: TestBrowser
const folder = useFolder()
const inFolder = (name: string) => join(folder, name)

/** @returns the number of emails that have arrived in all */
async function invite(env: Record<string, string> = {}) {
  const { mail, serviceTokens } = running.sandbox
  const list = inFolder('people.csv')
  writeFileSync(list, 'email\nbob@acme.example\n')
  const settings = {
    ...running.env,
    SERVICE_GLOBAL_TOKEN: serviceTokens.global,
    SMTP_URL: mail?.url ?? '',
    MAIL_FROM: 'Search team <search@acme.example>',
    ...env,
  }
  const { exit, err } = await runCommand(['invite', 'send', list, '--yes'], settings)
  expect(exit, err).toBe(0)
  return mail?.emails.length
}

beforeAll(async () => {
  await invite()
  ada = await signIn(running, 'ada')
})

const data = () => running.env['DATA_DIR'] ?? ''
const backUp = (...args: string[]) => runCommand(['backup', ...args], { DATA_DIR: data() })

/** A server on a folder that has only this file. */
async function restore(file: string, name: string): Promise<void> {
  mkdirSync(inFolder(name))
  // A child process, because closing the file here would drop SQLite's locks on it.
  execFileSync('cp', [file, join(inFolder(name), 'onramp.sqlite')])
  await running.restart({ DATA_DIR: inFolder(name) })
}

const signedIn = async () => (await ada.open(`${running.url}/api/status`)).body.includes('"signedIn":true')

it('onramp backup keeps sessions and sent emails while the server writes', async () => {
  const file = inFolder('copy.sqlite')
  const writing = Array.from({ length: 20 }, () => fetch(`${running.url}/sign-in`, { redirect: 'manual' }))
  const { exit, out, err } = await backUp(file, '--json')
  expect((await Promise.all(writing)).map(({ status }) => status)).toEqual(Array(20).fill(303))
  expect(exit, err).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ schema_version: 1, file, bytes: statSync(file).size })
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite'])

  // A plain copy of the file while a server runs is incomplete.
  expect(statSync(join(data(), 'onramp.sqlite-wal')).size).toBeGreaterThan(0)
  execFileSync('cp', [join(data(), 'onramp.sqlite'), inFolder('file-alone')])
  await restore(inFolder('file-alone'), 'wrong')
  expect(await signedIn()).toBe(false)

  await restore(file, 'right')
  expect(await signedIn()).toBe(true)
  expect(await invite({ DATA_DIR: inFolder('right') })).toBe(1)
})

it('onramp backup replaces a file only with --force, and never a file in DATA_DIR', async () => {
  const file = inFolder('kept')
  writeFileSync(file, 'something else')
  expect(await backUp(file)).toMatchObject({ exit: 1, out: '' })
  expect(statSync(file).size).toBe(14)
  expect(await backUp(file, '--force')).toMatchObject({ exit: 0, err: '' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const within of ['onramp.sqlite', 'other'])
    expect((await backUp(join(data(), within), '--force')).err).toContain('outside DATA_DIR')
})

it('onramp backup leaves no file behind if the store is missing or damaged', async () => {
  const file = inFolder('never')
  const from = (name: string) => runCommand(['backup', file], { DATA_DIR: inFolder(name) })
  expect(await from('nowhere')).toMatchObject({ exit: 1, out: '' })
  mkdirSync(inFolder('damaged'))
  writeFileSync(join(inFolder('damaged'), 'onramp.sqlite'), 'no database '.repeat(1000))
  const { exit, err } = await from('damaged')
  expect({ exit, err }).toMatchObject({ exit: 1, err: expect.stringContaining('not a database') as string })
  expect(readdirSync(folder).filter((name) => name.startsWith('never') || name === 'nowhere')).toEqual([])
})

it('onramp backup of Redis is refused, and so is a call without a file', async () => {
  const { exit, err } = await runCommand(['backup', inFolder('never')], { REDIS_URL: 'redis://localhost' })
  expect(exit).toBe(2)
  expect(err).toContain('BGSAVE')
  expect((await backUp()).exit).toBe(2)
})
