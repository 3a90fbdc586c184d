// One request as a browser would make it when it is sent from one site to another: servers answer a fetch otherwise
// (Fetch Metadata, W3C). Redirects are looked at, not followed.
import { request } from 'undici'
import { readLimited } from '../client-api/body.ts'
import { silenceOf } from '../client-api/silence.ts'
import type { Asked } from './ask.ts'

const TIME_LIMIT_MS = 8_000

const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
  'user-agent': 'Mozilla/5.0 (onramp doctor)',
}

const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/** @param now milliseconds since 1970 */
export async function navigate(url: URL, now: () => number): Promise<Asked> {
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const { statusCode, headers, body } = await request(url, { headers: HEADERS, signal })
    const text = await readLimited(body)
    const date = Date.parse(textOf(headers['date']) ?? '')
    return {
      kind: 'answer',
      status: statusCode,
      text,
      location: textOf(headers['location']),
      recognised: false,
      theirs: Number.isNaN(date) ? undefined : date,
      ours: now(),
    }
  } catch (error) {
    return { kind: 'silent', why: silenceOf(error) }
  }
}
