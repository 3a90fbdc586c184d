// Keeps the JSON that a server answers, to hold it against docs/openapi.yaml at the end. Apart from openapi.ts because that
// takes a fifth of a second to load, and most tests see none.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

export type Answered = { method: string; path: string; status: number; type: string; body: string }

const MAX_ANSWERS = 500

/** @returns the JSON that the server answers from here on; it grows */
export function keepAnswers(server: Server): readonly Answered[] {
  const answers: Answered[] = []
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    const take = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    }
    const [write, end] = [res.write.bind(res), res.end.bind(res)]
    res.write = ((...given: Parameters<typeof write>) => (
      take(given[0]),
      write(...given)
    )) as typeof res.write
    res.end = ((...given: Parameters<typeof end>) => (take(given[0]), end(...given))) as typeof res.end
    res.once('finish', () => {
      const [type = ''] = String(res.getHeader('content-type') ?? '').split(';')
      const [path = ''] = (req.url ?? '').replace(/^https?:\/\/[^/]*/i, '').split('?')
      const { method = '' } = req
      if (!type.endsWith('json') || method === 'HEAD' || answers.length >= MAX_ANSWERS) return
      answers.push({ method, path, status: res.statusCode, type, body: Buffer.concat(chunks).toString() })
    })
  })
  return answers
}

/** @throws naming each answer that the document doesn't allow */
export async function expectDocumented(answers: readonly Answered[]): Promise<void> {
  if (answers.length === 0) return
  const { faultIn } = await import('./openapi.ts')
  const faults = answers.flatMap((answered) => {
    const fault = faultIn(answered)
    return fault === undefined ? [] : `${answered.method} ${answered.path} (${answered.status}): ${fault}`
  })
  if (faults.length > 0)
    throw new Error(`answers that docs/openapi.yaml doesn't allow:\n${[...new Set(faults)].join('\n')}`)
}
