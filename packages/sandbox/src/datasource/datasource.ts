// The datasources' own site: the page on which a person allows or denies that the service reads their data.
// It has an origin of its own, and sends people back by way of the service.
import type { SwitchesControl } from '../control/switches.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { findDatasource, findPerson, type Person } from '../people.ts'
import type { Consent, Consents } from './consents.ts'

export type DatasourceOptions = {
  people: Person[]
  consents: Consents
  switches: SwitchesControl
  /** Address of the service, prefix included. */
  serviceUrl: string
}

const route = /^\/consent\/([\w-]+)(?:\/(allow|deny))?$/
const site = 'Datasource'

/** The consent pages: GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
export function createDatasource({ people, consents, switches, serviceUrl }: DatasourceOptions): Behaviour {
  return {
    operation(path) {
      const match = route.exec(path)
      return match ? (match[2] ?? 'consent') : 'other'
    },
    handle({ req, res, path, entry }) {
      const [, id = '', answer] = route.exec(path) ?? []
      const consent = consents.find(id)
      if (consent) entry.person = consent.personId
      if (!consent || consent.decision) return sendGone(res)
      if (answer === undefined) return sendConsent(res, people, consent)
      if (req.method !== 'POST') return redirect(res, `/consent/${id}`, 303)
      consents.decide(consent, answer === 'allow' ? 'allowed' : 'denied')
      if (!switches.get().neverReturn) return redirect(res, `${serviceUrl}/auth/return/${id}`, 303)
      sendPage(res, { title: 'Done', site, body: html`<p>You can close this window.</p>` })
    },
  }
}

function sendConsent(res: Exchange['res'], people: Person[], { id, personId, instance }: Consent): void {
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

function sendGone(res: Exchange['res']): void {
  const body = html`<p>You have already answered, or the request is too old.</p>`
  sendPage(res, { title: 'There is nothing to answer', site, body }, 410)
}
