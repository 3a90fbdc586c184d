// onramp invite forget deletes a person's records, also the walk.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => run({ settings: { INVITE_SECRET: 'another secret of thirty-two characters' } }))

function walks(): unknown[] {
  const database = new DatabaseSync(join(running.env['DATA_DIR'] ?? '', 'onramp.sqlite'), { readOnly: true })
  const rows = database.prepare("SELECT key FROM records WHERE key LIKE 'walk:%'").all()
  database.close()
  return rows
}

it('forgetting a person deletes their walk, too, and no one else’s', async () => {
  const [ada, bob] = [await signIn(running, 'ada'), await signIn(running, 'bob')]
  for (const browser of [ada, bob]) await browser.submit('/onboarding/skip/slack_1')
  expect(walks()).toHaveLength(2)
  const { exit, out } = await runCommand(['invite', 'forget', 'Ada@acme.example'], running.env)
  expect({ exit, out }).toEqual({ exit: 0, out: 'Deleted all data for ada@acme.example\n' })
  expect(walks()).toHaveLength(1)
  const unknown = await runCommand(['invite', 'forget', 'ada@acme.example'], running.env)
  expect(unknown.out).toMatch(/^No data for ada@acme\.example \(SQLite in \//)
  const again = await signIn(running, 'ada')
  await again.open(`${running.url}/api/status`)
  expect(again.page.body).toContain('"skipped":0')
  await bob.open(`${running.url}/api/status`)
  expect(bob.page.body).toContain('"skipped":1')
})
