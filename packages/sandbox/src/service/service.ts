// The service: its two APIs, the links that start a datasource's authorization, the way back, a landing page.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Consents } from '../datasource/consents.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { Refusal, sendRefusal } from './admission.ts'
import { handleClientApi, type ClientApi } from './client-api.ts'
import { nameAt, operations } from './operations.ts'

const START = '/auth/datasource/'
const RETURN = '/auth/return/'

/** The service, without the prefix that it may be mounted under. @param datasource address of the consent pages */
export function createService(api: ClientApi, consents: Consents, datasource: string): Behaviour {
  async function startAuthorization({ res, url, path, entry }: Exchange): Promise<void> {
    const { firstHopDelayMs, autoConsent } = api.switches.get()
    if (firstHopDelayMs > 0) await sleep(firstHopDelayMs)
    const added = addedTo(url.searchParams)
    if (added.length > 0)
      entry.mistake = `added ${added.join(', ')} to authUrlRelativePath, which already carries the redirect (contract 4.1, rule 2)`
    const use = api.authorizations.useToken(url.searchParams, decode(path.slice(START.length)))
    if ('refused' in use) return refuseLink(res, use.refused, use.status)
    entry.person = use.personId
    const consent = consents.begin(use)
    if (!autoConsent) return redirect(res, `${datasource}/consent/${consent.id}`)
    consents.decide(consent, 'allow')
    consents.sendBack(res, consent)
  }

  function finishAuthorization({ res, path, entry }: Exchange): void {
    const consent = consents.find(path.slice(RETURN.length))
    if (!consent?.decision) return refuseLink(res, 'is unknown', 410)
    entry.person = consent.personId
    consents.sendBack(res, consent)
  }

  return {
    operation(path) {
      if (path.startsWith(START)) return 'authDatasource'
      if (path.startsWith(RETURN)) return 'authReturn'
      return path === '/' ? 'landing' : (nameAt(path) ?? 'other')
    },
    async handle(exchange) {
      const { res, operation } = exchange
      try {
        if (operations.has(operation)) await handleClientApi(exchange, api)
        else if (operation === 'authDatasource') await startAuthorization(exchange)
        else if (operation === 'authReturn') finishAuthorization(exchange)
        else if (operation === 'landing') sendLandingPage(res)
        else throw new Refusal(404, 'Not Found')
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        sendRefusal(res, error, api.switches)
      }
    },
  }
}

/** What the client added to the path that it was given (contract 4.1, rule 2). */
function addedTo(parameters: URLSearchParams): string[] {
  const names = [...parameters.keys()]
  return names.filter((name, at) => !['token', 'redirect'].includes(name) || names.indexOf(name) < at)
}

function refuseLink(res: Exchange['res'], reason: string, status: number): void {
  const body = html`<p>The link ${reason}. Go back and try again.</p>`
  sendPage(res, { title: 'This link no longer works', site: 'Service', body }, status)
}

function sendLandingPage(res: Exchange['res']): void {
  const body = html`<p>
    The service's own web app would be here. People land on this page after authorizing an app if neither the
    request nor the tenant's setting specifies another URL.
  </p>`
  sendPage(res, { title: 'The service’s web app', site: 'Service', body })
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
