// Authorizing one datasource: the person's consent, from the service to the datasource's own page and back.
// The way back tells the client nothing that it could trust; `returnParams` may even make it lie.
import { randomBytes } from 'node:crypto'
import type { SwitchesControl } from '../control/switches.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { findDatasource, findPerson, type Person } from '../people.ts'
import type { Authorizations } from './authorizations.ts'

export type Consent = {
  id: string
  personId: string
  instance: string
  /** The per-request `final_redirect_url`, if there was one. */
  destination: string | undefined
  decision?: 'allowed' | 'denied'
}

export type Consents = ReturnType<typeof createConsents>

/** Creates the desk that keeps the authorizations under way. @param landing the service's own start page */
export function createConsents(authorizations: Authorizations, switches: SwitchesControl, landing: string) {
  const consents = new Map<string, Consent>()
  return {
    begin(start: Omit<Consent, 'id'>): Consent {
      const consent = { ...start, id: randomBytes(16).toString('base64url') }
      consents.set(consent.id, consent)
      return consent
    },
    find: (id: string) => consents.get(id),
    /** Records the person's answer; the switches `denyAll` and `consentDelaySeconds` change what it does. */
    decide(consent: Consent, wanted: 'allowed' | 'denied'): void {
      const { denyAll, consentDelaySeconds } = switches.get()
      consent.decision = denyAll ? 'denied' : wanted
      if (consent.decision === 'denied') return
      authorizations.authorize(consent.personId, consent.instance, consentDelaySeconds)
    },
    /** The final destination: that of the request, then the tenant's setting, then the landing page (contract 4.1, rule 1). */
    returnAddress({ destination }: Consent): string {
      const { tenantRedirectUrl, dropParams, returnParams } = switches.get()
      const resolved = destination ?? tenantRedirectUrl ?? landing
      if (!dropParams && Object.keys(returnParams).length === 0) return resolved
      const url = new URL(resolved)
      if (dropParams) url.search = ''
      for (const [name, value] of Object.entries(returnParams)) url.searchParams.set(name, value)
      return url.href
    },
  }
}

type DatasourceOptions = {
  people: Person[]
  consents: Consents
  switches: SwitchesControl
  /** Address of the service, prefix included. */
  serviceUrl: string
}

const route = /^\/consent\/([\w-]+)(?:\/(allow|deny))?$/
const site = 'Datasource'

/** The datasources' own site, on an origin of its own. The consent pages are GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
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
      Acme Search wants to read content you can access in <strong><bdi>${datasource}</bdi></strong
      >.
    </p>
    <dl>
      <dt>Signed in as</dt>
      <dd>${name}<br /><small>${email}</small></dd>
      <dt>Instance</dt>
      <dd><bdi>${instance}</bdi></dd>
    </dl>
    <div class="buttons">
      <form method="post" action="/consent/${id}/allow">
        <button class="first" type="submit">Allow</button>
      </form>
      <form method="post" action="/consent/${id}/deny"><button type="submit">Deny</button></form>
    </div>`
  sendPage(res, { title: 'Allow access?', site: datasource.slice(0, 60), body })
}

function sendGone(res: Exchange['res']): void {
  const body = html`<p>You've already responded, or the request has expired.</p>`
  sendPage(res, { title: 'This request has expired', site, body }, 410)
}
