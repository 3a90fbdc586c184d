// One authorization of one datasource, from the service to the consent page and back.
// The way back tells the client nothing that it could trust; `returnParams` may even make it lie.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Authorizations } from '../provider/authorizations.ts'
import type { SwitchesControl } from '../control/switches.ts'

export type Consent = {
  id: string
  personId: string
  instance: string
  /** The per-request `final_redirect_url`, if there was one. */
  destination?: string
  decision?: 'allowed' | 'denied'
}

export type DatasourceFlow = {
  seal: (destination: string) => string
  /** The destination in a seal. @returns undefined for one that is not ours */
  unseal: (sealed: string) => string | undefined
  begin: (consent: Omit<Consent, 'id'>) => Consent
  find: (id: string) => Consent | undefined
  /** Records what the person said; the `denyAll` and `consentDelaySeconds` switches have a say too. */
  decide: (consent: Consent, wanted: 'allowed' | 'denied') => void
  /** Where the person goes in the end: per request, then the tenant's setting, then the landing page. */
  returnAddress: (consent: Consent) => string
}

/** Creates the desk that keeps the authorizations under way. @param landingPage the service's own start page */
export function createDatasourceFlow(
  authorizations: Authorizations,
  switches: SwitchesControl,
  landingPage: string,
): DatasourceFlow {
  const consents = new Map<string, Consent>()
  const seals = createSeals()
  return {
    ...seals,
    begin(start) {
      const consent = { ...start, id: randomBytes(16).toString('base64url') }
      consents.set(consent.id, consent)
      return consent
    },
    find: (id) => consents.get(id),
    decide(consent, wanted) {
      const { denyAll, consentDelaySeconds } = switches.get()
      consent.decision = denyAll ? 'denied' : wanted
      if (consent.decision === 'denied') return
      authorizations.authorize(consent.personId, consent.instance, consentDelaySeconds)
    },
    returnAddress({ destination }) {
      const { tenantRedirectUrl, dropParams, returnParams } = switches.get()
      const resolved = destination ?? tenantRedirectUrl ?? landingPage
      if (!dropParams && Object.keys(returnParams).length === 0) return resolved
      const url = new URL(resolved)
      if (dropParams) url.search = ''
      for (const [name, value] of Object.entries(returnParams)) url.searchParams.set(name, value)
      return url.href
    },
  }
}

/** Sealed destinations: readable to a close look, but made by this service only. */
function createSeals() {
  const key = randomBytes(32)
  const sign = (payload: string) => createHmac('sha256', key).update(payload).digest('base64url')
  return {
    seal(destination: string): string {
      const payload = Buffer.from(destination).toString('base64url')
      return `${payload}.${sign(payload)}`
    },
    unseal(sealed: string): string | undefined {
      const [payload = '', signature = ''] = sealed.split('.')
      const expected = Buffer.from(sign(payload))
      const given = Buffer.from(signature)
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
      return Buffer.from(payload, 'base64url').toString('utf8')
    },
  }
}
