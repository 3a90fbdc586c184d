import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { openChromium } from '../helpers/chromium.ts'
import { deprecations, fileOf } from '../helpers/deprecations.ts'

const script = `
const post = (path, body) => fetch('/tenant' + path + '?token=SECRET', { method: 'POST', body: JSON.stringify(body) }).then((r) => r.text())
await post('/rest/api/v1/search', { query: 'SECRET' })
await post('/rest/api/v1/getanswer', {})
await post('/rest/api/v1/chat', { m: 'SECRET' })
await post('/rest/api/v1/createannouncement', { text: 'SECRET', announcement: { role: 'SECRET' }, nested: { snippet: 'SECRET' } })
await fetch('/tenant/rest/api/v1/governance/data/policies/42').then((r) => r.text())
document.title = 'done'
`
const answers: Record<string, object> = {
  getanswer: { answer: { trackingToken: 'SECRET' } },
  chat: { messages: [{ citations: [{ text: 'SECRET' }] }] },
  '42': { policy: { datasourceInstances: [], likelihoodThreshold: 'SECRET' } },
}

/** Opens a page in Chromium, runs a script on it if one is given, and waits for its title. @returns the file of the HAR */
async function recorded(url: string, script?: string): Promise<string> {
  const har = fileOf('traffic.har', '')
  const browser = await openChromium()
  // The pages of the sandbox allow no scripts; a client's would be a page of its own.
  const context = await browser.newContext({ bypassCSP: true, recordHar: { path: har, content: 'embed' } })
  const page = await context.newPage()
  await page.goto(url)
  if (script !== undefined) await page.addScriptTag({ type: 'module', content: script })
  await page.waitForFunction(`document.title === 'done'`)
  await context.close()
  await browser.close()
  return har
}

test('traffic recorded by Chromium is found to use exactly what it used', { timeout: 60_000 }, async () => {
  const server = createServer((req, res) => {
    const name = req.url?.split('?')[0]?.split('/').at(-1) ?? ''
    res.setHeader('Content-Type', name === '' ? 'text/html' : 'application/json')
    res.end(name === '' ? `<script type="module">${script}</script>` : JSON.stringify(answers[name] ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const har = await recorded(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  server.close()

  const { code, out, err } = await deprecations(['check', har, '--json'])

  expect([code, err]).toEqual([2, ''])
  const { inUse, mayBeInUse } = JSON.parse(out) as Record<string, { id: string; places: object[] }[]>
  expect(inUse?.map(({ id }) => id)).toEqual([
    'chat.citations',
    'createannouncement.role',
    'policies.likelihoodThreshold',
  ])
  expect(inUse?.[0]?.places).toMatchObject([{ side: 'response', pointer: '/messages/0/citations' }])
  expect(mayBeInUse).toMatchObject([{ id: 'createannouncement.snippet', confidence: 'name' }])
  expect(out).not.toContain('SECRET')
})

const client = (token: string) => `
const ask = (method, path, body) => fetch('/tenant' + path + '?q=SECRET', {
  method, headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' },
  ...(body && { body: JSON.stringify(body) }),
}).then((response) => response.text())
await ask('POST', '/rest/api/v1/search', { query: 'SECRET', trackingToken: 'SECRET' })
await ask('POST', '/rest/api/v1/checkdatasourceauth')
await ask('POST', '/rest/api/v1/getanswer', {})
await ask('POST', '/rest/api/v1/chat', { messages: [{ citations: 'SECRET' }] })
await ask('POST', '/rest/api/v1/createannouncement', { text: 'SECRET', announcement: { role: 'SECRET' } })
await ask('GET', '/rest/api/v1/governance/data/policies/42')
await ask('POST', '/api/index/v1/indexemployee', { employee: { location: 'SECRET' } })
await ask('POST', '/rest/api/v1/listanswers', {})
document.title = 'done'
`

const announcement = [
  'isNegated',
  'documents',
  'boardId',
  'snippet',
  'inviteTime',
  'reminderTime',
  'reactions',
]
const policy = ['sensitiveInfoTypes.contentOptions', 'sensitiveInfoTypes.customExpressions', 'sensitiveTerms']
const morePolicy = ['sensitiveRegexes', 'likelihoodThreshold', 'urlGreenlist', 'datasources']
const lastPolicy = ['externalSharingOptions', 'enabled', 'anyoneWithLinkEnabled']
const used = [
  'chat.citations',
  'createannouncement.role',
  'getanswer.trackingToken',
  'indexemployee.location',
  'listanswers',
]

test.each([
  {
    when: 'before the removal, with what the answers bear',
    date: '2026-10-14',
    expected: [
      ...used,
      ...announcement.map((field) => `createannouncement.${field}`),
      ...[...policy, ...morePolicy, ...lastPolicy].map((field) => `policies.${field}`),
    ],
    statuses: [200, 200, 200, 200, 200, 200, 200, 200],
    code: 2,
  },
  {
    when: 'after the removal, with what is still sent',
    date: '2026-10-15',
    expected: used,
    statuses: [200, 200, 200, 400, 400, 200, 400, 410],
    code: 2,
  },
])(
  "Chromium's record of the sandbox $when is found to use exactly what it used",
  { timeout: 60_000 },
  async ({ date, expected, statuses, code }) => {
    const sandbox = await startSandbox({ basePath: '/tenant', switches: { date } })
    const har = await recorded(`${sandbox.urls.service}/`, client(sandbox.serviceTokens.user('ada')))
    const answered = sandbox.requests.filter(({ path }) => path !== '/tenant/').map(({ status }) => status)
    await sandbox.close()

    const ran = await deprecations(['check', har, '--json', '--as-of', date])

    expect(answered).toEqual(statuses)
    expect([ran.code, ran.err]).toEqual([code, ''])
    const { inUse, mayBeInUse } = JSON.parse(ran.out) as Record<string, { id: string; places: object[] }[]>
    expect(inUse?.map(({ id }) => id).sort()).toEqual(expected.sort())
    expect(mayBeInUse).toEqual([])
    const role = inUse?.find(({ id }) => id === 'createannouncement.role')
    expect(role?.places).toContainEqual(
      expect.objectContaining({ side: 'request', pointer: '/announcement/role' }),
    )
    expect(ran.out).not.toContain('SECRET')
    expect(ran.out).not.toContain(sandbox.serviceTokens.user('ada'))
  },
)
