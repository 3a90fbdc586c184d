// One question to the service for the command line and the doctor: checkdatasourceauth, and everything that can come of
// it as a value. No one-time path leaves this file: of the paths only a count and a yes or no are kept.
import { readCheck, withoutPath, type Waiting } from './answers.ts'
import { jsonIn } from './body.ts'
import { checkCall, createConnection, type Exchanged } from './connection.ts'
import { secretsIn, type Credentials } from './credentials.ts'
import { retryAfterSeconds } from './errors.ts'
import { otherPrefixIn, refusalReason, type RefusalReason } from './refusal-reason.ts'
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
  | ({ kind: 'answered'; left: Waiting[]; shape: PathShape | undefined } & Answered)
  | ({
      kind: 'refused'
      status: number
      reason: RefusalReason
      retryAfter: number
      /** Its words, bounded and without secrets; empty where there are none. */
      said: string
      /** What its headers begin with, where that is something else than was sent. */
      otherPrefix: string | undefined
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
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string | undefined
  now: () => number
}

const MAX_CONNECTIONS = 2

export function createInquiry({ now, headerPrefix, ...options }: InquiryOptions): Inquiry {
  const connection = createConnection({ ...options, headerPrefix, connections: MAX_CONNECTIONS })
  return {
    async ask(credentials, finalRedirectUrl) {
      // Outside of the try: a token that must not go out is no silence of the service.
      const answering = connection.send(checkCall(finalRedirectUrl), credentials)
      try {
        const answer = await answering
        return replyOf(answer, {
          finalRedirectUrl,
          headerPrefix,
          now: now(),
          secrets: secretsIn(credentials),
        })
      } catch (error) {
        return { kind: 'silent', why: silenceOf(error) }
      }
    },
    close: () => connection.close(),
  }
}

type Asked = {
  finalRedirectUrl: string | undefined
  headerPrefix: string | undefined
  now: number
  secrets: string[]
}

function replyOf(answer: Exchanged, asked: Asked): Reply {
  const { status, text, headers } = answer
  const { finalRedirectUrl, headerPrefix, now, secrets } = asked
  const date = Date.parse(headers['date']?.toString() ?? '')
  const times = { theirs: Number.isNaN(date) ? undefined : date, ours: now }
  const listed = status === 200 ? readCheck(jsonIn(text)) : undefined
  if (listed !== undefined)
    return {
      kind: 'answered',
      left: listed.map(withoutPath),
      shape: shapeOf(listed, finalRedirectUrl),
      ...times,
    }
  return {
    kind: 'refused',
    status,
    reason: refusalReason(answer),
    retryAfter: retryAfterSeconds(headers['retry-after']?.toString(), now),
    said: saidIn(text, secrets),
    otherPrefix: otherPrefixIn(text, headerPrefix),
    ...times,
  }
}

function shapeOf(listed: readonly Waiting[], redirect: string | undefined): PathShape | undefined {
  const paths = listed.flatMap(({ authUrlRelativePath }) => authUrlRelativePath ?? [])
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
