// One authorization of one datasource, from the service to the consent page and back.
// The way back tells the client nothing that it could trust; `returnParams` may even make it lie.
import { randomBytes } from 'node:crypto'
import type { SwitchesControl } from '../control/switches.ts'
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

/** Creates the desk that keeps the authorizations under way. @param landingPage the service's own start page */
export function createConsents(
  authorizations: Authorizations,
  switches: SwitchesControl,
  landingPage: string,
) {
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
      const resolved = destination ?? tenantRedirectUrl ?? landingPage
      if (!dropParams && Object.keys(returnParams).length === 0) return resolved
      const url = new URL(resolved)
      if (dropParams) url.search = ''
      for (const [name, value] of Object.entries(returnParams)) url.searchParams.set(name, value)
      return url.href
    },
  }
}
