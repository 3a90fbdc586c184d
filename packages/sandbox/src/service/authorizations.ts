// Authorizing datasources: who has authorized what, the one-time links of the check, the consent pages on their own
// origin, and the way back, which tells the client nothing that it could trust: `returnParams` may even make it lie.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { RequestHandler } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { findPerson, type Datasource, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** One authorization under way: a link in an answer of the check, and once that is opened, a consent. */
type Authorization = {
  /** The one-time token of the link. */
  id: string
  person: Person
  datasource: Datasource
  /** The per-request `final_redirect_url`, if there was one. */
  destination: string | undefined
  /** Carries the destination in the link. Made up by the service, so that a client cannot make one. */
  redirect: string | undefined
  expiresAt: number
  decision?: 'allow' | 'deny'
}

const LINK_MS = 300_000

const newSecret = () => randomBytes(24).toString('base64url')

/** Creates the state of all people: what their datasources say from the start, no links. */
export function createAuthorizations(
  people: Person[],
  switches: SwitchesControl,
  urls: { service: string; datasource: string },
) {
  const links = new Map<string, Authorization>()
  const consents = new Map<string, Authorization>()
  /** When an authorization shows, by person and instance. */
  const visibleFrom = new Map<string, number>()
  const keyOf = (personId: string, instance: string) => JSON.stringify([personId, instance])

  /** `settling`: allowed, but does not show yet (`consentDelaySeconds`); the person counts as unauthorized. */
  function stateOf(personId: string, instance: string): 'waiting' | 'settling' | 'authorized' {
    const from = visibleFrom.get(keyOf(personId, instance))
    if (from === undefined) return 'waiting'
    return from <= Date.now() ? 'authorized' : 'settling'
  }

  const datasourcesOf = ({ id, datasources }: Person, isAuthorized: boolean): Datasource[] =>
    datasources.filter(({ instance }) => (stateOf(id, instance) === 'authorized') === isAuthorized)

  function reset(): void {
    for (const map of [links, consents, visibleFrom]) map.clear()
    for (const { id, datasources } of people)
      for (const { instance, authorized } of datasources)
        if (authorized) visibleFrom.set(keyOf(id, instance), 0)
  }

  /** @throws Error when there is no such person, or no such datasource of theirs */
  function keyOfKnown(personId: string, instance: string): string {
    if (!findPerson(people, personId).datasources.some((one) => one.instance === instance))
      throw new Error(`${personId} has no datasource ${instance} in the sandbox`)
    return keyOf(personId, instance)
  }

  function decide(consent: Authorization, wanted: 'allow' | 'deny'): void {
    const { denyAll, consentDelaySeconds } = switches.get()
    consent.decision = denyAll ? 'deny' : wanted
    if (consent.decision === 'deny') return
    const key = keyOf(consent.person.id, consent.datasource.instance)
    visibleFrom.set(key, Date.now() + consentDelaySeconds * 1000)
  }

  /** That of the request, then the tenant's setting, then the landing page (contract 4.1, rule 1). */
  function returnAddress({ destination }: Authorization): string {
    const { tenantRedirectUrl, dropParams, returnParams } = switches.get()
    const resolved = destination ?? tenantRedirectUrl ?? `${urls.service}/`
    if (!dropParams && Object.keys(returnParams).length === 0) return resolved
    const url = new URL(resolved)
    if (dropParams) url.search = ''
    for (const [name, value] of Object.entries(returnParams)) url.searchParams.set(name, value)
    return url.href
  }

  /** Goes on with the way back, at its next address or its end; with `neverReturn` nowhere. */
  function sendBack(res: ServerResponse, consent: Authorization, next?: string): void {
    if (!switches.get().neverReturn) redirect(res, next ?? returnAddress(consent), next ? 303 : 302)
    else sendPage(res, { title: 'Done', site: 'Service', body: html`<p>You can close this window.</p>` })
  }

  reset()
  return {
    reset,
    authorize: (personId: string, instance: string): void =>
      void visibleFrom.set(keyOfKnown(personId, instance), Date.now()),
    unauthorize: (personId: string, instance: string): void =>
      void visibleFrom.delete(keyOfKnown(personId, instance)),
    state: (personId: string) =>
      Object.fromEntries(
        findPerson(people, personId).datasources.map(({ instance }) => [
          instance,
          stateOf(personId, instance),
        ]),
      ),
    /** The datasources that still count as unauthorized. */
    unauthorized: (person: Person) => datasourcesOf(person, false),
    /** The datasources whose content a search may show. */
    authorized: (person: Person) => datasourcesOf(person, true),
    /** The answer of the check: each one ends the links of the one before. */
    check(person: Person, destination: string | undefined) {
      for (const [id, link] of links) if (link.person === person) links.delete(id)
      const entries = datasourcesOf(person, false).map((datasource) => {
        const id = newSecret()
        const redirect = destination && `${Buffer.from(destination).toString('base64url')}.${newSecret()}`
        links.set(id, { id, person, datasource, destination, redirect, expiresAt: Date.now() + LINK_MS })
        const { instance, displayName, authStatus = 'AWAITING_AUTH', withoutPath } = datasource
        const query = redirect ? `token=${id}&redirect=${redirect}` : `token=${id}`
        const path = `/auth/datasource/${encodeURIComponent(instance)}?${query}`
        const authUrlRelativePath = withoutPath ? undefined : path
        return { datasourceInstance: instance, displayName, authStatus, authUrlRelativePath }
      })
      return { unauthorizedDatasourceInstances: entries }
    },
    /** Opens a link, which works once. @returns the person whose it is; undefined: it has been refused */
    begin(res: ServerResponse, segment: string, query: URLSearchParams): Person | undefined {
      const link = links.get(query.get('token') ?? '')
      const redirected = query.get('redirect')
      const isGood =
        link !== undefined &&
        encodeURIComponent(link.datasource.instance) === segment &&
        link.expiresAt > Date.now() &&
        (redirected === null || redirected === link.redirect)
      if (!isGood) {
        sendGone(res)
        return undefined
      }
      links.delete(link.id)
      if (redirected === null) link.destination = undefined
      consents.set(link.id, link)
      if (!switches.get().autoConsent) redirect(res, `${urls.datasource}/consent/${link.id}`)
      else {
        decide(link, 'allow')
        sendBack(res, link)
      }
      return link.person
    },
    /** The end of the way back. @returns the person whose it is, if anyone's */
    finish(res: ServerResponse, id: string): Person | undefined {
      const consent = consents.get(id)
      if (consent?.decision) sendBack(res, consent)
      else sendGone(res)
      return consent?.person
    },
    /** The datasources' own site: GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
    site: {
      operation: (path) => {
        const match = CONSENT.exec(path)
        return match ? (match[2] ?? 'consent') : 'other'
      },
      handle({ req, res, path, entry, operation }) {
        const [, id = '', decision] = CONSENT.exec(path) ?? []
        const consent = consents.get(id)
        if (consent) entry.person = consent.person.id
        if (!consent || consent.decision) return sendGone(res)
        if (operation === 'consent') return sendConsent(res, consent)
        if (req.method !== 'POST') return redirect(res, `/consent/${id}`, 303)
        decide(consent, decision === 'allow' ? 'allow' : 'deny')
        sendBack(res, consent, `${urls.service}/auth/return/${id}`)
      },
    } satisfies RequestHandler,
  }
}

const CONSENT = /^\/consent\/([\w-]+)(?:\/(allow|deny))?$/

function sendConsent(res: ServerResponse, { id, person, datasource }: Authorization): void {
  const { instance, displayName: name = instance } = datasource
  const body = html`<p>
      Acme Search wants to read content you can access in <strong><bdi>${name}</bdi></strong
      >.
    </p>
    <dl>
      <dt>Signed in as</dt>
      <dd>${person.name}<br /><small>${person.email}</small></dd>
      <dt>Instance</dt>
      <dd><bdi>${instance}</bdi></dd>
    </dl>
    <div class="buttons">
      <form method="post" action="/consent/${id}/allow">
        <button class="first" type="submit">Allow</button>
      </form>
      <form method="post" action="/consent/${id}/deny"><button type="submit">Deny</button></form>
    </div>`
  sendPage(res, { title: 'Allow access?', site: name.slice(0, 60), body })
}

function sendGone(res: ServerResponse): void {
  const body = html`<p>
    It was used, replaced by a newer one or changed on the way, or it has expired. Go back and try again.
  </p>`
  sendPage(res, { title: 'This link no longer works', site: 'Service', body }, 410)
}
