// deploy/systemd/onramp: the arguments for systemd-run, which only prints them here. `bash test/deploy` checks the
// units.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'

const folder = useFolder()

const put = (name: string, text: string) => {
  writeFileSync(join(folder, name), text, { mode: 0o755 })
  return join(folder, name)
}

/** The arguments of systemd-run, and the standard input. */
function run(...args: string[]): { words: string[]; input: string } {
  const script = readFileSync(new URL('../../deploy/systemd/onramp', import.meta.url), 'utf8')
  const command = put('onramp', script.replaceAll('/etc/onramp', join(folder, 'etc')))
  put('systemd-run', '#!/bin/sh\nprintf "%s\\n" "$@"; echo ---; cat\n')
  const { stdout } = spawnSync(command, args, {
    input: '',
    env: { PATH: `${folder}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  const [words = '', input = ''] = stdout.split('---\n')
  return { words: words.trim().split('\n'), input }
}

it('a command from an email runs beside the units, with their secrets and root’s list', () => {
  mkdirSync(join(folder, 'etc'))
  for (const name of ['session-secret', 'smtp-url', 'oidc-client-secret']) put(`etc/${name}`, 'x')
  const list = put('people.csv', 'email\nada@acme.example\n')
  const { words, input } = run('keep', list, '--release', 'all')
  const unit = words.find((word) => word.startsWith('--unit='))?.slice('--unit='.length)
  expect(words.slice(-5)).toEqual([expect.stringContaining('onramp.mjs'), 'keep', '-', '--release', 'all'])
  expect(words.filter((word) => /_FILE=/.test(word) && !word.startsWith('Env'))).toEqual([
    `SESSION_SECRET_FILE=/run/credentials/${unit}.service/session-secret`,
    `SMTP_URL_FILE=/run/credentials/${unit}.service/smtp-url`,
    `OIDC_CLIENT_SECRET_FILE=/run/credentials/${unit}.service/oidc-client-secret`,
  ])
  expect(input).toBe('email\nada@acme.example\n')
})

it('a command about one person has no list', () => {
  const { words } = run('invite', 'forget', 'ada@acme.example')
  expect(words.slice(-3)).toEqual(['invite', 'forget', 'ada@acme.example'])
})
