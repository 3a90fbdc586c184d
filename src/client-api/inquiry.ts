// One question to the service for the command line and the doctor: checkdatasourceauth, and everything that can come of
// it as a value. No one-time path leaves this file: of the paths only a count and a yes or no are kept.
import { Agent, request } from 'undici'
import { readCheck, readLeft, type Left } from './answers.ts'
import { parsed, readLimited, secretsIn } from './client.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import { retryAfterSeconds } from './errors.ts'
import { refusalReason, type RefusalReason } from './refusal-reason.ts'
import { saidIn } from './said.ts'
import { silenceOf, type Silence } from './silence.ts'

/** What the command line may be given; a person's access token is not among it. */
export type ServiceToken = Exclude<Credentials, { kind: 'oauth' }>

/** What may be known of the one-time paths: never one of them. */
type PathShape = {
  /** Query parameters of the first path. */
  parameters: number
  /** Every path names the final_redirect_url that was asked for. */
  namesRedirect: boolean
}

/** When it was answered, by the service's own clock and by ours; milliseconds since 1970. */
type Answered = { theirs: number | undefined; ours: number }

export type Reply =
  | ({ kind: 'answered'; left: Left[]; shape: PathShape | undefined } & Answered)
  | ({
      kind: 'refused'
      status: number
      reason: RefusalReason
      retryAfter: number
      /** Its words, bounded and without secrets; empty where there are none. */
      said: string
    } & Answered)
  | { kind: 'silent'; why: Silence }

export type Inquiry = {
  /** @throws {TypeError} for a token or an address that must not go into a header; the message does not quote it */
  ask(credentials: Credentials, finalRedirectUrl?: string): Promise<Reply>
  close(): Promise<void>
}

export type InquiryOptions = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs: number
  now: () => number
}

const PATH = '/rest/api/v1/checkdatasourceauth'

export function createInquiry({ baseUrl, timeLimitMs, now }: InquiryOptions): Inquiry {
  const dispatcher = new Agent({ connections: 2, connect: { timeout: timeLimitMs } })
  return {
    async ask(credentials, finalRedirectUrl) {
      const headers = {
        ...credentialHeaders(credentials),
        'content-type': 'application/json',
        accept: 'application/json',
      }
      const query =
        finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
      const signal = AbortSignal.timeout(timeLimitMs)
      try {
        const options = { dispatcher, method: 'POST' as const, headers, signal, body: null }
        const response = await request(baseUrl + PATH + query, options)
        const text = await readLimited(response.body)
        const { statusCode, headers: got } = response
        const theirs = Date.parse(got.date?.toString() ?? '')
        const times = { theirs: Number.isNaN(theirs) ? undefined : theirs, ours: now() }
        return {
          ...replyOf(statusCode, text, {
            finalRedirectUrl,
            retryAfter: got['retry-after'],
            now: now(),
            secrets: secretsIn(credentials),
          }),
          ...times,
        }
      } catch (error) {
        return { kind: 'silent', why: silenceOf(error) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

type Asked = {
  finalRedirectUrl: string | undefined
  retryAfter: string | string[] | undefined
  now: number
  secrets: string[]
}

function replyOf(status: number, text: string, { finalRedirectUrl, retryAfter, now, secrets }: Asked) {
  const left = status === 200 ? readLeft(parsed(text)) : undefined
  if (left !== undefined) return { kind: 'answered' as const, left, shape: shapeOf(text, finalRedirectUrl) }
  const seconds = retryAfterSeconds(retryAfter?.toString(), now)
  return {
    kind: 'refused' as const,
    status,
    reason: refusalReason(status, text),
    retryAfter: seconds,
    said: saidIn(text, secrets),
  }
}

function shapeOf(text: string, redirect: string | undefined): PathShape | undefined {
  const paths = (readCheck(parsed(text)) ?? []).flatMap(
    ({ authUrlRelativePath }) => authUrlRelativePath ?? [],
  )
  const [first] = paths
  if (first === undefined) return undefined
  const query = first.split('?')[1] ?? ''
  return {
    parameters: query.split('&').filter((part) => part !== '').length,
    namesRedirect: redirect !== undefined && paths.every((path) => names(path, redirect)),
  }
}

/** Raw, or encoded once or twice. */
function names(path: string, redirect: string): boolean {
  const once = encodeURIComponent(redirect)
  const lower = path.toLowerCase()
  return [redirect, once, encodeURIComponent(once)].some((form) => lower.includes(form.toLowerCase()))
}
