// Records a server's JSON responses, to compare them with docs/openapi.yaml at the end. Apart from openapi.ts, which
// takes a fifth of a second to load.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

export type JsonResponse = { method: string; path: string; status: number; type: string; body: string }

const MAX_RESPONSES = 500

/** @returns the JSON responses of the server; the list grows */
export function recordResponses(server: Server): readonly JsonResponse[] {
  const responses: JsonResponse[] = []
  server.prependListener('request', ({ method = '', url = '' }: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for (const name of ['write', 'end'] as const) {
      const original = res[name].bind(res) as (...args: unknown[]) => never
      res[name] = (...args: unknown[]) => {
        const [chunk] = args
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
        return original(...args)
      }
    }
    res.once('finish', () => {
      const [type = ''] = String(res.getHeader('content-type') ?? '').split(';')
      const [path = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split('?')
      if (!type.endsWith('json') || method === 'HEAD' || responses.length >= MAX_RESPONSES) return
      responses.push({ method, path, status: res.statusCode, type, body: Buffer.concat(chunks).toString() })
    })
  })
  return responses
}

/** @throws naming each response that the document doesn't allow */
export async function expectDocumented(responses: readonly JsonResponse[]): Promise<void> {
  if (responses.length === 0) return
  const { faultIn } = await import('./openapi.ts')
  const faults = responses.flatMap((response) => {
    const fault = faultIn(response)
    return fault === undefined ? [] : `${response.method} ${response.path} (${response.status}): ${fault}`
  })
  if (faults.length > 0)
    throw new Error(`responses that docs/openapi.yaml doesn't allow:\n${[...new Set(faults)].join('\n')}`)
}
