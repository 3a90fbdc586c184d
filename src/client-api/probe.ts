// One question to the service for the command line and the doctor: checkdatasourceauth, and everything that can come of
// it as a value. No one-time path leaves this file: of the paths only a count and a yes or no are kept.
import { readCheckResponse, withoutPath, type UnconnectedApp } from './responses.ts'
import { parseJson } from '../http/body.ts'
import { checkCall, createConnection, type ServiceEndpoint } from './connection.ts'
import { secretsIn, type Credentials } from './credentials.ts'
import { readErrorResponse, type ErrorResponse } from './error-response.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'

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
type Times = { theirs: number | undefined; ours: number }

export type ProbeResult =
  | ({ kind: 'answered'; left: UnconnectedApp[]; shape: PathShape | undefined } & Times)
  | ({ kind: 'refused' } & ErrorResponse & Times)
  | { kind: 'silent'; why: NetworkError }

export type ServiceProbe = {
  /** checkGlobal first. @throws {TypeError} for a token or an address that must not go into a header, without quoting it */
  check(credentials: Credentials, finalRedirectUrl?: string): Promise<ProbeResult>
  /** One call without a person. @returns a refusal where that is answered; undefined where the token may be a global one */
  checkGlobal(token: string): Promise<ProbeResult | undefined>
  close(): Promise<void>
}

const MAX_CONNECTIONS = 2

/** @param service.now milliseconds since 1970 */
export function createServiceProbe({
  now,
  ...service
}: Omit<ServiceEndpoint, 'connections'> & { now: () => number }): ServiceProbe {
  const { headerPrefix } = service
  const connection = createConnection({ ...service, connections: MAX_CONNECTIONS })
  return {
    async check(credentials, finalRedirectUrl) {
      const personal = credentials.kind === 'global-token' && (await this.checkGlobal(credentials.token))
      if (personal) return personal
      // Outside of the try: a token that must not go out is no silence of the service.
      const answering = connection.send(checkCall(finalRedirectUrl), credentials)
      try {
        const answer = await answering
        const date = Date.parse(answer.headers['date']?.toString() ?? '')
        const times = { theirs: Number.isNaN(date) ? undefined : date, ours: now() }
        const listed = answer.status === 200 ? readCheckResponse(parseJson(answer.text)) : undefined
        const shape = listed && shapeOf(listed, finalRedirectUrl)
        if (listed !== undefined) return { kind: 'answered', left: listed.map(withoutPath), shape, ...times }
        const sent = { headerPrefix, secrets: secretsIn(credentials) }
        return { kind: 'refused', ...readErrorResponse(answer, sent, times.ours), ...times }
      } catch (error) {
        return { kind: 'silent', why: networkErrorOf(error) }
      }
    },
    async checkGlobal(token) {
      const alone = await this.check({ kind: 'user-token', token })
      if (alone.kind !== 'answered') return undefined
      const refusal = readErrorResponse({ status: 200, text: '', headers: {} }, { headerPrefix }, alone.ours)
      return { ...alone, ...refusal, kind: 'refused', reason: 'personal' }
    },
    close: () => connection.close(),
  }
}

function shapeOf(listed: readonly UnconnectedApp[], redirect: string | undefined): PathShape | undefined {
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
