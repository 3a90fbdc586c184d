// The service: its two APIs, the links that start a datasource's authorization, the way back, a landing page.
import { setTimeout as sleep } from 'node:timers/promises'
import { handleClientApi, isApiOperation, type ClientApiOptions } from './client-api.ts'
import type { DatasourceFlow } from '../datasource/flow.ts'
import { refuse } from './error-shapes.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { nameAt } from './named-operations.ts'
import { html, redirect, sendPage } from '../pages.ts'

const site = 'Service'
const api = '/rest/api/v1/'

export type ServiceOptions = Omit<ClientApiOptions, 'seal'> & {
  flow: DatasourceFlow
  /** Origin of the consent pages. */
  datasourceOrigin: string
}

/** The service, without the prefix that it may be mounted under. */
export function createService(options: ServiceOptions): Behaviour {
  return {
    operation: operationOf,
    async handle(exchange) {
      const { res, operation } = exchange
      const { errorShape } = options.switches.get()
      if (isApiOperation(operation)) {
        await handleClientApi(exchange, { ...options, seal: options.flow.seal })
      } else if (operation === 'authDatasource') await startAuthorization(exchange, options)
      else if (operation === 'authReturn') finishAuthorization(exchange, options)
      else if (operation === 'landing') sendLandingPage(exchange)
      else refuse(res, { status: 404, message: 'Not Found' }, errorShape)
    },
  }
}

function operationOf(path: string): string {
  if (path === `${api}checkdatasourceauth`) return 'checkdatasourceauth'
  if (path === `${api}search`) return 'search'
  if (path.startsWith('/auth/datasource/')) return 'authDatasource'
  if (path.startsWith('/auth/return/')) return 'authReturn'
  if (path === '/') return 'landing'
  return nameAt(path) ?? 'other'
}

async function startAuthorization(exchange: Exchange, options: ServiceOptions): Promise<void> {
  const { res, url, path, entry } = exchange
  const { authorizations, flow, switches } = options
  const { firstHopDelayMs, autoConsent } = switches.get()
  if (firstHopDelayMs > 0) await sleep(firstHopDelayMs)
  const mistake = addedBy(url.searchParams)
  if (mistake !== undefined) entry.mistake = mistake
  const instance = decode(path.slice('/auth/datasource/'.length))
  const sealed = url.searchParams.get('redirect')
  const destination = sealed === null ? undefined : flow.unseal(sealed)
  if (sealed !== null && destination === undefined) return refuseLink(exchange, 'changed on the way', 403)
  const use = authorizations.useToken(url.searchParams.get('token') ?? '', instance)
  if ('refused' in use) return refuseLink(exchange, use.refused, use.refused.startsWith('u') ? 410 : 403)
  entry.person = use.personId
  const consent = flow.begin({
    personId: use.personId,
    instance,
    ...(destination !== undefined && { destination }),
  })
  if (!autoConsent) {
    redirect(res, `${options.datasourceOrigin}/consent/${consent.id}`)
    return
  }
  flow.decide(consent, 'allowed')
  sendBack(exchange, options, consent)
}

/** The client adds nothing to the path that it was given (contract 4.1, rule 2). */
function addedBy(parameters: URLSearchParams): string | undefined {
  const names = [...parameters.keys()]
  const added = names.filter((name, at) => !['token', 'redirect'].includes(name) || names.indexOf(name) < at)
  return added.length === 0
    ? undefined
    : `added ${added.join(', ')} to authUrlRelativePath, which already carries the redirect (contract 4.1, rule 2)`
}

function finishAuthorization(exchange: Exchange, options: ServiceOptions): void {
  const consent = options.flow.find(exchange.path.slice('/auth/return/'.length))
  if (!consent?.decision) return refuseLink(exchange, 'unknown', 410)
  exchange.entry.person = consent.personId
  sendBack(exchange, options, consent)
}

function sendBack(
  { res }: Exchange,
  { flow, switches }: ServiceOptions,
  consent: Parameters<DatasourceFlow['decide']>[0],
) {
  if (!switches.get().neverReturn) redirect(res, flow.returnAddress(consent))
  else sendPage(res, { title: 'Done', site, body: html`<p>You can close this window.</p>` })
}

function refuseLink({ res }: Exchange, reason: string, status: number): void {
  const body = html`<p>The link is ${reason}. Go back to where you came from and start again.</p>`
  sendPage(res, { title: 'This link does not work any more', site, body }, status)
}

function sendLandingPage({ res }: Exchange): void {
  const body = html`<p>
    The service's own web application would be here. People land on this page when nothing else says where to
    go after a datasource's authorization.
  </p>`
  sendPage(res, { title: 'The service’s web app', site, body })
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
