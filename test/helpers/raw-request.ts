// Requests with any request target and only the test's headers, which no browser sends.
import { request } from 'node:http'

export type RawResponse = { status: number; headers: Record<string, string>; body: string }

type Raw = { method?: string; headers?: Record<string, string>; body?: string }

/** @param target of the request line, unchanged */
export const sendRaw = (
  url: string,
  target: string,
  { method = 'GET', headers = {}, body = '' }: Raw = {},
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing = request({ hostname, port, method, path: target, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(flat), body: text })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
