// The datasources' own site: the page on which a person allows or denies that the service reads their data.
// It is on an origin of its own, and it goes back by way of the service.
import { findDatasource, findPerson } from '../provider/authorizations.ts'
import type { Consent, DatasourceFlow } from './flow.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import type { Person } from '../people.ts'
import type { SwitchesControl } from '../control/switches.ts'

export type DatasourceOptions = {
  people: Person[]
  flow: DatasourceFlow
  switches: SwitchesControl
  /** Address of the service, prefix included. */
  serviceUrl: string
}

const route = /^\/consent\/([\w-]+)(?:\/(allow|deny))?$/

/** The consent pages: GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
export function createDatasource(options: DatasourceOptions): Behaviour {
  return {
    operation: operationOf,
    handle(exchange) {
      const [, id = '', answer] = route.exec(exchange.path) ?? []
      const consent = options.flow.find(id)
      if (!consent) return sendGone(exchange)
      exchange.entry.person = consent.personId
      if (consent.decision) return sendGone(exchange)
      if (answer === undefined) return sendConsent(exchange, options, consent)
      if (exchange.req.method !== 'POST') return redirect(exchange.res, `/consent/${id}`, 303)
      options.flow.decide(consent, answer === 'allow' ? 'allowed' : 'denied')
      return leave(exchange, options, consent)
    },
  }
}

function operationOf(path: string): string {
  const [, id, answer] = route.exec(path) ?? []
  if (id === undefined) return 'other'
  return answer ?? 'consent'
}

function sendConsent(
  { res }: Exchange,
  { people }: DatasourceOptions,
  { id, personId, instance }: Consent,
): void {
  const { name, email } = findPerson(people, personId)
  const datasource = findDatasource(people, personId, instance).displayName ?? instance
  const body = html`<p>
      The service asks to read what you can see in <strong><bdi>${datasource}</bdi></strong
      >.
    </p>
    <dl>
      <dt>Signed in as</dt>
      <dd>${name}<br /><small>${email}</small></dd>
      <dt>Instance</dt>
      <dd><bdi>${instance}</bdi></dd>
    </dl>
    <div class="buttons">
      <form method="post" action="/consent/${id}/allow"><button class="first">Allow</button></form>
      <form method="post" action="/consent/${id}/deny"><button>Deny</button></form>
    </div>`
  sendPage(res, { title: 'Allow access?', site: datasource.slice(0, 60), body })
}

function leave({ res }: Exchange, { switches, serviceUrl }: DatasourceOptions, consent: Consent): void {
  if (!switches.get().neverReturn) return redirect(res, `${serviceUrl}/auth/return/${consent.id}`, 303)
  sendPage(res, { title: 'Done', site: 'Datasource', body: html`<p>You can close this window.</p>` })
}

function sendGone({ res }: Exchange): void {
  const body = html`<p>You have answered already, or the request is too old.</p>`
  sendPage(res, { title: 'Nothing to answer here', site: 'Datasource', body }, 410)
}
