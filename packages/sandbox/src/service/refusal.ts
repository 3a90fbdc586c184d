// A refused call, and how the service words it. The contract shows no shape for error bodies, so there are several.
import type { ServerResponse } from 'node:http'
import type { Switches } from '../control/switches.ts'

/** Thrown while a call is answered; the service answers with it. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Answers with a refusal in the given shape. */
export function sendRefusal(res: ServerResponse, refusal: Refusal, shape: Switches['errorShape']): void {
  const { status, message } = refusal
  const bodies: Record<Switches['errorShape'], [contentType: string, body: string]> = {
    text: ['text/plain; charset=utf-8', message],
    html: ['text/html; charset=utf-8', `<!doctype html><title>${status}</title><p>${message}</p>`],
    message: ['application/json', JSON.stringify({ message })],
    error: ['application/json', JSON.stringify({ error: { code: status, message } })],
    errors: ['application/json', JSON.stringify({ errors: [{ message }] })],
  }
  const [contentType, body] = bodies[shape]
  res.writeHead(status, { 'content-type': contentType }).end(body)
}
