// How the service words a refusal. The contract shows no shape for error bodies, so there are several.
import type { ServerResponse } from 'node:http'
import type { Refusal } from './callers.ts'
import type { Switches } from '../control/switches.ts'

/** Answers with a refusal in the given shape. */
export function refuse(
  res: ServerResponse,
  { status, message }: Refusal,
  shape: Switches['errorShape'],
): void {
  const { contentType, body } = shaped(status, message, shape)
  res.writeHead(status, { 'content-type': contentType }).end(body)
}

type Shaped = { contentType: string; body: string }

function shaped(status: number, message: string, shape: Switches['errorShape']): Shaped {
  const json = (value: unknown) => ({ contentType: 'application/json', body: JSON.stringify(value) })
  switch (shape) {
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: message }
    case 'html':
      return {
        contentType: 'text/html; charset=utf-8',
        body: `<!doctype html><title>${status}</title><p>${message}</p>`,
      }
    case 'message':
      return json({ message })
    case 'error':
      return json({ error: { code: status, message } })
    default:
      return json({ errors: [{ message }] })
  }
}
