// The stubbed service of a composed onramp, which also stands in for WEBHOOK_URL: its response, and what was sent.
import { Pool, type Dispatcher } from 'undici'
import { vi } from 'vitest'

type SentRequest = { origin: string; path: string; headers: Record<string, string>; body: unknown }

/** The response of the service, and all requests that were sent. */
export const service = {
  sent: [] as SentRequest[],
  status: 200,
  headers: {} as Record<string, string>,
  listed: ['slack_1', 'github_1', 'secret_1'],
  /** Replaces the list of apps as the response. */
  body: undefined as object | undefined,
  /** Delays the response of WEBHOOK_URL until it resolves. */
  receiver: undefined as Promise<void> | undefined,
}

function answerTo({ path }: SentRequest): object {
  if (path.includes('/search')) return { results: [], requestId: 'r1' }
  const entries = service.listed.map((instance) => ({
    datasourceInstance: instance,
    displayName: instance,
    authStatus: 'NOT_AUTHORIZED',
    authUrlRelativePath: `/auth/datasource/${instance}?token=once`,
  }))
  return { unauthorizedDatasourceInstances: entries }
}

/** Intercepts all requests until the mocks are restored, and gives the service its default response. */
export function stubService(): void {
  const listed = ['slack_1', 'github_1', 'secret_1']
  Object.assign(service, { sent: [], status: 200, headers: {}, listed, body: undefined, receiver: undefined })
  vi.spyOn(Pool.prototype, 'dispatch').mockImplementation((options, handler) => {
    const { origin, path, headers, body } = options
    const request = { origin: String(origin), path, headers: headers as Record<string, string>, body }
    service.sent.push(request)
    const controller = { abort() {} } as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, {})
    const output = { 'content-type': 'application/json', ...service.headers }
    const respond = () => {
      handler.onResponseStart?.(controller, service.status, output, '')
      handler.onResponseData?.(controller, Buffer.from(JSON.stringify(service.body ?? answerTo(request))))
      handler.onResponseEnd?.(controller, {})
    }
    if (service.receiver !== undefined && request.origin === 'http://localhost:9')
      void service.receiver.then(respond)
    else respond()
    return true
  })
}
