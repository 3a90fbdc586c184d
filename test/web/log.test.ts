// What the log says of an error: enough to act on, and nothing that could be a secret.
import { expect, it } from 'vitest'
import { describeError, redacted } from '../../src/web/log.ts'

it('the log’s words of an error leave out what could be one', () => {
  const secret = 'planted-one-time-token-0123456789'
  for (const message of [
    `Bearer ${secret}`,
    `"${secret}" is not valid`,
    `https://a.example/x?token=short&y=1`,
  ])
    expect(redacted(message)).not.toMatch(/planted|short/)
  expect(redacted(`no ${'a'.repeat(20)} here`)).toBe('no … here')
  const error = new Error(secret, { cause: new Error(`x?code=${secret}`) })
  expect(JSON.stringify(describeError(error))).not.toContain(secret)
})
