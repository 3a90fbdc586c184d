// Commands without a sign-in run without the client's secret, so it can stay with the server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { runCommand } from './run-command.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const folder = useFolder()

const list = join(folder, 'people.csv')
writeFileSync(list, 'email\nada@acme.example\n')
const ADA = 'ada@acme.example'

const env = { ...REQUIRED, MAIL_FROM: 'search@acme.example', DATA_DIR: join(folder, 'data') }

it.each([
  ['no secret', { OIDC_CLIENT_ID: 'onramp' }],
  ['a file that only the server can read', { OIDC_CLIENT_ID: 'onramp', OIDC_CLIENT_SECRET_FILE: '/none' }],
  ['no key', { OIDC_CLIENT_ID: 'onramp', OIDC_CLIENT_AUTH: 'private_key_jwt' }],
])('only the server needs the client, not commands about people: %s', async (_title, client) => {
  const commands = [
    ['keep', list, '--dry-run'],
    ['invite', 'report'],
    ['invite', 'link', ADA],
    ['invite', 'forget', ADA],
    ['invite', 'preview', join(folder, 'preview')],
    ['audit-id', ADA],
    ['store', 'adopt', '--yes'],
  ]
  const exits = []
  for (const args of commands) exits.push((await runCommand(args, { ...env, ...client })).exit)
  expect(exits).toEqual(commands.map(() => 0))
  expect(() => loadSettings({ ...env, ...client })).toThrow(/OIDC_CLIENT_/)
})
