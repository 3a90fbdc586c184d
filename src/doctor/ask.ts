// One request to the authorization server, bounded in time and size; redirects are looked at, not followed.
import { readLimited } from '../client-api/body.ts'
import { silenceOf, type Silence } from '../client-api/silence.ts'

type Answer = {
  kind: 'answer'
  status: number
  text: string
  location: string | undefined
  /** It has the header that was asked for with `recognise`. */
  recognised: boolean
  /** The Date header, and when the answer came by our own clock; milliseconds since 1970. */
  theirs: number | undefined
  ours: number
}
export type Asked = Answer | { kind: 'silent'; why: Silence }

const TIME_LIMIT_MS = 8_000

type Init = RequestInit & { recognise?: { name: string; value: string } }

export async function ask(url: string | URL, now: () => number, init: Init = {}): Promise<Asked> {
  const { recognise, ...rest } = init
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const response = await fetch(url, { ...rest, redirect: 'manual', signal })
    const text = response.body === null ? '' : await readLimited(response.body)
    const date = Date.parse(response.headers.get('date') ?? '')
    return {
      kind: 'answer',
      status: response.status,
      text,
      location: response.headers.get('location') ?? undefined,
      recognised: recognise !== undefined && response.headers.get(recognise.name) === recognise.value,
      theirs: Number.isNaN(date) ? undefined : date,
      ours: now(),
    }
  } catch (error) {
    return { kind: 'silent', why: silenceOf(error) }
  }
}
