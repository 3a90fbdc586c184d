// Traffic recorded by Chromium, read by the check of deprecations.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
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

/**
 * Opens a page in Chromium, runs a script on it if one is given, and waits for its title. @returns the file of the HAR
 */
async function recordTraffic(url: string, source?: string): Promise<string> {
  const har = fileOf('traffic.har', '')
  const browser = await openChromium()
  // The pages of the sandbox allow no scripts; a client's would be a page of its own.
  const context = await browser.newContext({ bypassCSP: true, recordHar: { path: har, content: 'embed' } })
  const page = await context.newPage()
  await page.goto(url)
  if (source !== undefined) await page.addScriptTag({ type: 'module', content: source })
  await page.waitForFunction(`document.title === 'done'`)
  await context.close()
  await browser.close()
  return har
}

it('in traffic recorded by Chromium, sent fields are in use, and received ones may be', async () => {
  const server = createServer((req, res) => {
    const name = req.url?.split('?')[0]?.split('/').at(-1) ?? ''
    res.setHeader('Content-Type', name === '' ? 'text/html' : 'application/json')
    res.end(name === '' ? `<script type="module">${script}</script>` : JSON.stringify(answers[name] ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const har = await recordTraffic(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  server.close()

  const { code, out, err } = await deprecations(['check', har, '--json'])

  expect([code, err]).toEqual([2, ''])
  const { inUse, mayBeInUse } = JSON.parse(out) as Record<string, { id: string; places: object[] }[]>
  expect(inUse?.map(({ id }) => id)).toEqual(['createannouncement.role'])
  expect(mayBeInUse).toMatchObject([
    {
      id: 'chat.citations',
      confidence: 'sent',
      places: [{ side: 'response', pointer: '/messages/0/citations' }],
    },
    { id: 'createannouncement.snippet', confidence: 'name' },
    { id: 'policies.likelihoodThreshold', confidence: 'sent' },
  ])
  expect(out).not.toContain('SECRET')
})
