// The service: its two APIs, the links that start a datasource's authorization, the way back, a landing page.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Consent, Consents } from '../datasource/datasource.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { handleClientApi, type ClientApiOptions } from './client-api.ts'
import { nameAt, operationNamed } from './operations.ts'
import { Refusal, sendRefusal } from './refusal.ts'

const site = 'Service'
const START = '/auth/datasource/'
const RETURN = '/auth/return/'

type ServiceOptions = ClientApiOptions & { consents: Consents }

/** The service, without the prefix that it may be mounted under. */
export function createService(options: ServiceOptions): Behaviour {
  return {
    operation: operationOf,
    async handle(exchange) {
      const { res, operation } = exchange
      try {
        if (operationNamed(operation)) await handleClientApi(exchange, options)
        else if (operation === 'authDatasource') await startAuthorization(exchange, options)
        else if (operation === 'authReturn') finishAuthorization(exchange, options)
        else if (operation === 'landing') sendLandingPage(exchange)
        else throw new Refusal(404, 'Not Found')
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.status === 401) res.setHeader('www-authenticate', 'Bearer')
        sendRefusal(res, error, options.switches.get().errorShape)
      }
    },
  }
}

function operationOf(path: string): string {
  if (path.startsWith(START)) return 'authDatasource'
  if (path.startsWith(RETURN)) return 'authReturn'
  if (path === '/') return 'landing'
  return nameAt(path) ?? 'other'
}

async function startAuthorization(exchange: Exchange, options: ServiceOptions): Promise<void> {
  const { res, url, path, entry } = exchange
  const { authorizations, consents, switches } = options
  const { firstHopDelayMs, autoConsent } = switches.get()
  if (firstHopDelayMs > 0) await sleep(firstHopDelayMs)
  const added = addedTo(url.searchParams)
  if (added.length > 0)
    entry.mistake = `added ${added.join(', ')} to authUrlRelativePath, which already carries the redirect (contract 4.1, rule 2)`
  const use = authorizations.useToken(url.searchParams, decode(path.slice(START.length)))
  if ('refused' in use) return refuseLink(exchange, use.refused, use.status)
  entry.person = use.personId
  const consent = consents.begin(use)
  if (autoConsent) {
    consents.decide(consent, 'allowed')
    sendBack(exchange, options, consent)
  } else redirect(res, `${options.urls.datasource}/consent/${consent.id}`)
}

/** What the client added to the path that it was given (contract 4.1, rule 2). */
function addedTo(parameters: URLSearchParams): string[] {
  const names = [...parameters.keys()]
  return names.filter((name, at) => !['token', 'redirect'].includes(name) || names.indexOf(name) < at)
}

function finishAuthorization(exchange: Exchange, options: ServiceOptions): void {
  const consent = options.consents.find(exchange.path.slice(RETURN.length))
  if (!consent?.decision) return refuseLink(exchange, 'unknown', 410)
  exchange.entry.person = consent.personId
  sendBack(exchange, options, consent)
}

function sendBack({ res }: Exchange, { consents, switches }: ServiceOptions, consent: Consent): void {
  if (!switches.get().neverReturn) redirect(res, consents.returnAddress(consent))
  else sendPage(res, { title: 'Done', site, body: html`<p>You can close this window.</p>` })
}

function refuseLink({ res }: Exchange, reason: string, status: number): void {
  const body = html`<p>The link ${reason}. Go back and try again.</p>`
  sendPage(res, { title: 'This link no longer works', site, body }, status)
}

function sendLandingPage({ res }: Exchange): void {
  const body = html`<p>
    The service's own web app would be here. People land on this page after authorizing an app if neither the
    request nor the tenant's setting specifies another URL.
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
