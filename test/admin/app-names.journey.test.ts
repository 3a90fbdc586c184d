// Admins read of an app under the name that their company gives it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newPerson } from '../../src/people/person.ts'
import { settle } from '../helpers/crowd.ts'
import { having } from '../helpers/people.ts'
import { run, signIn } from '../helpers/running.ts'

const settings = { ADMIN_EMAILS: 'grace@acme.example' }
/** Twenty people with these apps, all of them called Slack by the service. */
const crowd = (...instances: string[]) =>
  Array.from({ length: 20 }, (_, index) =>
    having(
      newPerson(`p${index}@acme.example`, Date.now()),
      Object.fromEntries(instances.map((instance) => [instance, 'blocked' as const])),
      Date.now(),
      Object.fromEntries(instances.map((instance) => [instance, 'Slack'])),
    ),
  )

it('tells two instances of one name apart, on each page as the walk does', async () => {
  const running = await run({ settings })
  await settle(running, crowd('slack_1', 'slack_2'))
  const grace = await signIn(running, 'grace', '/admin')

  const list = '?show=blocked&app=slack_2'
  for (const path of ['/admin', '/admin/apps', `/admin/people${list}`, `/admin/people/emails${list}`]) {
    await grace.open(running.url + path)
    expect(grace.text, path).toContain('Slack (2)')
    expect(grace.text, path).not.toMatch(/Slack (?!\()/)
  }

  await running.close()
})

it('shows the company’s name for an app wherever the admin pages name it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-company-'))
  const file = join(folder, 'company.yaml')
  writeFileSync(file, 'datasources: { slack_1: { name: Chat of Sales } }')
  const running = await run({ settings: { ...settings, COMPANY_FILE: file } })
  await settle(running, crowd('slack_1'))
  const grace = await signIn(running, 'grace', '/admin')

  const list = '?show=blocked&app=slack_1'
  for (const path of ['/admin', '/admin/apps', `/admin/people${list}`, `/admin/people/emails${list}`]) {
    await grace.open(running.url + path)
    expect(grace.text, path).toContain('Chat of Sales')
  }
  expect((await grace.open(`${running.url}/admin/people.csv${list}`)).body).toContain(
    'Chat of Sales [slack_1]',
  )
  expect((await grace.open(`${running.url}/admin/report.json`)).body).toContain('"name":"Chat of Sales"')

  await running.close()
  rmSync(folder, { recursive: true })
})
