// Replaced answers: what an operation says instead of its own answer, misbehaviour of the wire included.
// Works on the raw response, so it can replace answers of the authorization servers too.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../control/switches.ts'

const DRIP_EVERY_MS = 200

/** Gives `answer` in place of the operation's own. A `hang` resolves and leaves the response open. */
export async function giveAnswer(res: ServerResponse, answer: Answer): Promise<void> {
  if (answer.delayMs) await sleep(answer.delayMs)
  if (answer.hang) return
  if (answer.close) {
    res.destroy()
    return
  }
  const { status = 200, body = status === 204 || status === 304 ? '' : (STATUS_CODES[status] ?? '') } = answer
  const isText = typeof body === 'string'
  const bytes = Buffer.from(isText ? body : JSON.stringify(body))
  res.statusCode = status
  res.setHeader(
    'content-type',
    answer.contentType ?? (isText ? 'text/plain; charset=utf-8' : 'application/json'),
  )
  res.setHeader('content-length', bytes.length)
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value)
  if (answer.truncate) truncate(res, bytes)
  else if (answer.drip) await drip(res, bytes)
  else res.end(bytes)
}

function truncate(res: ServerResponse, bytes: Buffer): void {
  res.setHeader('content-length', bytes.length + 1)
  res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => res.destroy())
}

async function drip(res: ServerResponse, bytes: Buffer): Promise<void> {
  res.flushHeaders()
  for (const byte of bytes) {
    await sleep(DRIP_EVERY_MS)
    if (res.destroyed) return
    res.write(Uint8Array.of(byte))
  }
  res.end()
}
