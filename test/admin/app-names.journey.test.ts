// Admins read of an app under the name that their company gives it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newPerson } from '../../src/people/person.ts'
import { settle } from '../helpers/crowd.ts'
import { having } from '../helpers/people.ts'
import { run, signIn } from '../helpers/running.ts'

it('shows the company’s name for an app, and tells two instances apart, wherever the admin pages name them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-company-'))
  const file = join(folder, 'company.yaml')
  writeFileSync(file, 'datasources: { slack: { name: Chat of Sales } }')
  const running = await run({ settings: { ADMIN_EMAILS: 'grace@acme.example', COMPANY_FILE: file } })
  const apps = { slack_1: 'blocked', slack_2: 'blocked' } as const
  const crowd = Array.from({ length: 20 }, (_, index) =>
    having(newPerson(`p${index}@acme.example`, Date.now()), apps, Date.now()),
  )
  await settle(running, crowd)
  const grace = await signIn(running, 'grace', '/admin')

  const list = '?show=blocked&app=slack_2'
  for (const path of ['/admin', '/admin/apps', `/admin/people${list}`]) {
    await grace.open(running.url + path)
    expect(grace.text, path).toContain('Chat of Sales (2)')
    expect(grace.text, path).not.toContain('Chat of Sales (1)')
  }
  const { body } = await grace.open(`${running.url}/admin/people.csv${list}`)
  expect(body).toContain('Chat of Sales [slack_2]')
  expect((await grace.open(`${running.url}/admin/report.json`)).body).toContain('"name":"Chat of Sales"')

  await running.close()
  rmSync(folder, { recursive: true })
})
