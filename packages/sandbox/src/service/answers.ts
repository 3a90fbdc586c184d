// Replaced answers: what an operation says instead of its own answer, misbehaviour of the wire included.
// Works on the raw response, so it can stand in for the authorization servers too.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../control/switches.ts'

const dripEveryMs = 200

/** Gives `answer` in place of the operation's own. A `hang` resolves and leaves the response open. */
export async function giveAnswer(res: ServerResponse, answer: Answer): Promise<void> {
  if (answer.delayMs) await sleep(answer.delayMs)
  if (answer.hang) return
  if (answer.close) {
    res.destroy()
    return
  }
  const body = Buffer.from(bodyOf(answer))
  res.statusCode = answer.status ?? 200
  res.setHeader('content-type', contentTypeOf(answer))
  res.setHeader('content-length', body.length)
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value)
  if (answer.truncate) truncate(res, body)
  else if (answer.drip) drip(res, body)
  else res.end(body)
}

function bodyOf(answer: Answer): string {
  if (typeof answer.body === 'string') return answer.body
  if (answer.body !== undefined) return JSON.stringify(answer.body)
  return answer.status === 204 || answer.status === 304 ? '' : (STATUS_CODES[answer.status ?? 200] ?? '')
}

function contentTypeOf(answer: Answer): string {
  if (answer.contentType !== undefined) return answer.contentType
  const json = answer.body !== undefined && typeof answer.body !== 'string'
  return json ? 'application/json' : 'text/plain; charset=utf-8'
}

function truncate(res: ServerResponse, body: Buffer): void {
  res.setHeader('content-length', body.length + 1)
  res.write(body.subarray(0, Math.ceil(body.length / 2)), () => res.destroy())
}

function drip(res: ServerResponse, body: Buffer): void {
  let sent = 0
  res.flushHeaders()
  const timer = setInterval(() => {
    res.write(body.subarray(sent, ++sent))
    if (sent >= body.length) {
      clearInterval(timer)
      res.end()
    }
  }, dripEveryMs)
  res.once('close', () => clearInterval(timer))
}
