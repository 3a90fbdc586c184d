// Errors in the log: redacted, with cause and location.
import { expect, it } from 'vitest'
import { createLog, redact } from '../../src/web/log.ts'

it('an error in the log has no text that could be a secret', () => {
  const secret = 'planted-one-time-token-0123456789'
  for (const message of [
    `Bearer ${secret}`,
    `"${secret}" is not valid`,
    `https://a.example/x?token=short&y=1`,
  ])
    expect(redact(message)).not.toMatch(/planted|short/)
  expect(redact(`no ${'a'.repeat(20)} here`)).toBe('no … here')
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(line) }
  const err = new Error(secret, { cause: new Error(`x?code=${secret}`) })
  createLog('info', sink).warn({ err }, 'failed')
  expect(lines.join()).toContain('"name":"Error"')
  expect(lines.join()).not.toContain(secret)
})
