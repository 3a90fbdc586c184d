// Authorizing one datasource: the person's consent, from the service to the datasource's own page and back.
// The way back tells the client nothing that it could trust; `returnParams` may even make it lie.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Behaviour } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { findDatasource, findPerson, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'
import type { Authorizations } from './authorizations.ts'

type Consent = {
  id: string
  personId: string
  instance: string
  /** The per-request `final_redirect_url`, if there was one. */
  destination: string | undefined
  decision?: 'allow' | 'deny'
}

export type Consents = ReturnType<typeof createConsents>

/** Keeps the authorizations under way. @param serviceUrl whose start page is where people end up otherwise */
export function createConsents(
  authorizations: Authorizations,
  switches: SwitchesControl,
  serviceUrl: string,
) {
  const consents = new Map<string, Consent>()

  /** That of the request, then the tenant's setting, then the landing page (contract 4.1, rule 1). */
  function returnAddress({ destination }: Consent): string {
    const { tenantRedirectUrl, dropParams, returnParams } = switches.get()
    const resolved = destination ?? tenantRedirectUrl ?? `${serviceUrl}/`
    if (!dropParams && Object.keys(returnParams).length === 0) return resolved
    const url = new URL(resolved)
    if (dropParams) url.search = ''
    for (const [name, value] of Object.entries(returnParams)) url.searchParams.set(name, value)
    return url.href
  }

  return {
    serviceUrl,
    begin({ personId, instance, destination }: Omit<Consent, 'id'>): Consent {
      const consent = { id: randomBytes(16).toString('base64url'), personId, instance, destination }
      consents.set(consent.id, consent)
      return consent
    },
    find: (id: string) => consents.get(id),
    /** Records the person's answer; the switches `denyAll` and `consentDelaySeconds` change what it does. */
    decide(consent: Consent, wanted: 'allow' | 'deny'): void {
      const { denyAll, consentDelaySeconds } = switches.get()
      consent.decision = denyAll ? 'deny' : wanted
      if (consent.decision === 'allow')
        authorizations.authorize(consent.personId, consent.instance, consentDelaySeconds)
    },
    /** Goes on with the way back, at its next address or its end; with `neverReturn` nowhere. */
    sendBack(res: ServerResponse, consent: Consent, next?: string): void {
      if (!switches.get().neverReturn) redirect(res, next ?? returnAddress(consent), next ? 303 : 302)
      else sendPage(res, { title: 'Done', site: 'Service', body: html`<p>You can close this window.</p>` })
    },
  }
}

const route = /^\/consent\/([\w-]+)(?:\/(allow|deny))?$/

/** The datasources' own site, on an origin of its own: GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
export function createDatasource(people: Person[], consents: Consents): Behaviour {
  return {
    operation(path) {
      const match = route.exec(path)
      return match ? (match[2] ?? 'consent') : 'other'
    },
    handle({ req, res, path, entry, operation }) {
      const [, id = ''] = route.exec(path) ?? []
      const consent = consents.find(id)
      if (consent) entry.person = consent.personId
      if (!consent || consent.decision) return sendGone(res)
      if (operation === 'consent') return sendConsent(res, people, consent)
      if (req.method !== 'POST') return redirect(res, `/consent/${id}`, 303)
      consents.decide(consent, operation === 'allow' ? 'allow' : 'deny')
      consents.sendBack(res, consent, `${consents.serviceUrl}/auth/return/${id}`)
    },
  }
}

function sendConsent(res: ServerResponse, people: Person[], { id, personId, instance }: Consent): void {
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

function sendGone(res: ServerResponse): void {
  const body = html`<p>You've already responded, or the request has expired.</p>`
  sendPage(res, { title: 'This request has expired', site: 'Datasource', body }, 410)
}
