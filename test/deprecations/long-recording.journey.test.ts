// Memory of the check of deprecations for a long recording.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fileOf } from '../helpers/deprecations.ts'

const chat = { method: 'POST', url: 'https://a/rest/api/v1/chat', request: { citations: [] }, response: {} }

it('a stream of 150 MB is checked in a heap of 100 MB', async () => {
  const [runner, node] = ['../helpers/run-deprecations.ts', '../../node_modules/.bin/node'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ) as [string, string]
  const response = { messages: [{ text: 'x'.repeat(400), citations: [1] }] }
  const long = JSON.stringify({ ...chat, response: Array.from({ length: 100_000 }, () => ({ a: 'b' })) })
  const lines = `${JSON.stringify({ ...chat, response })}\n`.repeat(180_000)
  const file = fileOf('a.ndjson', `${lines}${`${long}\n`.repeat(25)}`)
  const args = ['--max-old-space-size=100', runner, 'check', file, '--fail-on', 'never']
  expect((await promisify(execFile)(node, args)).stdout).toContain('In use: 1 removed (180,025 requests')
})
