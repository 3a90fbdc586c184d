// Authorizes datasources: stores authorizations, and handles the check's one-time links, the consent pages on their own
// origin, and the return, which proves nothing to the client.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { RequestHandler } from '../http-server.ts'
import { html, redirect, sendPage } from '../pages.ts'
import { findPerson, type Datasource, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** An authorization in progress: first a link of the check, with `id` as its one-time token, then a consent. */
type Authorization = {
  id: string
  person: Person
  datasource: Datasource
  /** The request's `final_redirect_url`; `redirect` in the link, with a secret, so that clients can't forge it. */
  destination: string | undefined
  redirect: string | undefined
  expiresAt: number
  decision?: 'allow' | 'deny'
}

const LINK_MS = 300_000

const newSecret = () => randomBytes(24).toString('base64url')
const authorizationKey = (personId: string, instance: string) => JSON.stringify([personId, instance])

/** The authorizations of each person, which begin with `authorized` of their datasources. */
export class Authorizations {
  private readonly people: Person[]
  private readonly switches: SwitchesControl
  private readonly urls: { service: string; datasource: string }
  private readonly links = new Map<string, Authorization>()
  private readonly consents = new Map<string, Authorization>()
  /** When an authorization takes effect, by person and instance. */
  private readonly effectiveFrom = new Map<string, number>()

  constructor(people: Person[], switches: SwitchesControl, urls: Authorizations['urls']) {
    this.people = people
    this.switches = switches
    this.urls = urls
    this.reset()
  }

  reset(): void {
    for (const map of [this.links, this.consents, this.effectiveFrom]) map.clear()
    for (const { id, datasources } of this.people)
      for (const { instance, authorized } of datasources)
        if (authorized) this.effectiveFrom.set(authorizationKey(id, instance), 0)
  }

  /** @throws Error for an unknown person or datasource */
  authorize(personId: string, instance: string): void {
    this.effectiveFrom.set(this.knownKey(personId, instance), Date.now())
  }

  /** @throws Error for an unknown person or datasource */
  unauthorize(personId: string, instance: string): void {
    this.effectiveFrom.delete(this.knownKey(personId, instance))
  }

  state(personId: string) {
    const { datasources } = findPerson(this.people, personId)
    return Object.fromEntries(datasources.map(({ instance }) => [instance, this.stateOf(personId, instance)]))
  }

  unauthorized({ id, datasources }: Person): Datasource[] {
    return datasources.filter(({ instance }) => this.stateOf(id, instance) !== 'authorized')
  }

  /** The datasources in which a search finds documents. */
  authorized({ id, datasources }: Person): Datasource[] {
    return datasources.filter(({ instance }) => this.stateOf(id, instance) === 'authorized')
  }

  /** The check's response. Each check voids the person's earlier links. */
  check(person: Person, destination: string | undefined) {
    for (const [id, link] of this.links) if (link.person === person) this.links.delete(id)
    const entries = this.unauthorized(person).map((datasource) => {
      const id = newSecret()
      const returnKey = destination && `${Buffer.from(destination).toString('base64url')}.${newSecret()}`
      const expiresAt = Date.now() + LINK_MS
      this.links.set(id, { id, person, datasource, destination, redirect: returnKey, expiresAt })
      const { instance, displayName, authStatus = 'AWAITING_AUTH', withoutPath } = datasource
      const query = returnKey ? `token=${id}&redirect=${returnKey}` : `token=${id}`
      const path = `/auth/datasource/${encodeURIComponent(instance)}?${query}`
      const authUrlRelativePath = withoutPath ? undefined : path
      return { datasourceInstance: instance, displayName, authStatus, authUrlRelativePath }
    })
    return { unauthorizedDatasourceInstances: entries }
  }

  /** Opens a link once. @returns the person; undefined if the link was refused */
  openLink(res: ServerResponse, segment: string, query: URLSearchParams): Person | undefined {
    const link = this.links.get(query.get('token') ?? '')
    const redirected = query.get('redirect')
    const isValid =
      link !== undefined &&
      encodeURIComponent(link.datasource.instance) === segment &&
      link.expiresAt > Date.now() &&
      (redirected === null || redirected === link.redirect)
    if (!isValid) {
      sendGone(res)
      return undefined
    }
    this.links.delete(link.id)
    if (redirected === null) link.destination = undefined
    this.consents.set(link.id, link)
    if (!this.switches.get().autoConsent) redirect(res, `${this.urls.datasource}/consent/${link.id}`)
    else {
      this.decide(link, 'allow')
      this.sendBack(res, link)
    }
    return link.person
  }

  /** Sends the last redirect of the return. @returns the person, if the consent exists */
  finish(res: ServerResponse, id: string): Person | undefined {
    const consent = this.consents.get(id)
    if (consent?.decision) this.sendBack(res, consent)
    else sendGone(res)
    return consent?.person
  }

  /** GET `/consent/<id>`, POST `/consent/<id>/allow` and `/deny`. */
  readonly consentSite: RequestHandler = {
    operation: (path) => {
      const match = CONSENT.exec(path)
      return match ? (match[2] ?? 'consent') : 'other'
    },
    handle: ({ req, res, path, entry, operation }) => {
      const [, id = '', decision] = CONSENT.exec(path) ?? []
      const consent = this.consents.get(id)
      if (consent) entry.person = consent.person.id
      if (!consent || consent.decision) return sendGone(res)
      if (operation === 'consent') return sendConsent(res, consent)
      if (req.method !== 'POST') return redirect(res, `/consent/${id}`, 303)
      this.decide(consent, decision === 'allow' ? 'allow' : 'deny')
      redirect(res, `${this.urls.service}/auth/return/${id}`, 303)
    },
  }

  /** `settling`: allowed, but not in effect yet (`consentDelaySeconds`), so counted as unauthorized. */
  private stateOf(personId: string, instance: string) {
    const from = this.effectiveFrom.get(authorizationKey(personId, instance))
    if (from === undefined) return 'waiting'
    return from <= Date.now() ? 'authorized' : 'settling'
  }

  private knownKey(personId: string, instance: string): string {
    if (!findPerson(this.people, personId).datasources.some((datasource) => datasource.instance === instance))
      throw new Error(`${personId} has no datasource ${instance} in the sandbox`)
    return authorizationKey(personId, instance)
  }

  private decide(consent: Authorization, wanted: 'allow' | 'deny'): void {
    const { denyAll, consentDelaySeconds } = this.switches.get()
    consent.decision = denyAll ? 'deny' : wanted
    if (consent.decision === 'deny') return
    const key = authorizationKey(consent.person.id, consent.datasource.instance)
    this.effectiveFrom.set(key, Date.now() + consentDelaySeconds * 1000)
  }

  /** To the request's destination, else the tenant's, else the landing page (contract 4.1, rule 1). */
  private sendBack(res: ServerResponse, { destination }: Authorization): void {
    redirect(res, destination ?? this.switches.get().tenantRedirectUrl ?? `${this.urls.service}/`)
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
