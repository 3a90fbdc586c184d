// The switches as fields of a form, and back. What a switch looks like follows from the value it has;
// objects (answers, faults, …) are edited as JSON.
import { html, type Html } from '../pages.ts'
import type { Switches } from './switches.ts'

const choices: Partial<Record<keyof Switches, string[]>> = {
  externalTokenMessage: ['Invalid Secret', 'Required header missing: X-Service-Auth-Type'],
  errorShape: ['text', 'html', 'message', 'error', 'errors'],
}

/** Texts that may be empty, which is null. */
const optionalTexts: (keyof Switches)[] = ['tenantRedirectUrl', 'date']

const meaning: Record<keyof Switches, string> = {
  consentDelaySeconds: 'Seconds until a consent shows in the check',
  denyAll: 'Allow behaves like Deny',
  neverReturn: 'No one is sent back after Allow or Deny',
  dropParams: 'The way back loses the query of final_redirect_url',
  returnParams: 'Parameters added on the way back',
  autoConsent: 'No consent page: allowed at once',
  firstHopDelayMs: 'Milliseconds before the first redirect to a datasource',
  latencyMs: 'Milliseconds before every answer, or an object by operation',
  answers: 'Answers given instead, by operation',
  accessTokenSeconds: 'Lifetime of new access tokens, in seconds',
  externalTokenMessage: 'Message to an external token without X-Service-Auth-Type',
  refusalStatus: 'Status of the two refusals that the contract gives none',
  errorShape: 'Shape of error bodies',
  tenantRedirectUrl: 'oauth.postAuthRedirectUrl of the tenant',
  voidEarlierTokens: 'A check voids the links of earlier ones',
  authUrlSeconds: 'Lifetime of a link, in seconds',
  rateLimit: 'Requests a second that the Client API takes, as {"perSecond": 5, "burst": 5}; null: any number',
  retryAfterDate: 'Retry-After says a date, not seconds',
  authorizationServerDown: 'Both authorization servers cut connections',
  serviceDown: 'The service cuts connections',
  date: 'The day it is for the schedule of deprecations (YYYY-MM-DD; empty: today, UTC)',
  faults: 'Faults of the authorization servers',
}

/** One field a switch, filled with its value. */
export function switchFields(switches: Switches): Html[] {
  return switchNames().map((name) => {
    const value = switches[name]
    const label = html`${meaning[name]}<br /><small>${name}</small>`
    if (typeof value === 'boolean') {
      return html`<label><input type="checkbox" name="${name}" ${value && 'checked'} /> ${label}</label>`
    }
    return html`<label>${label} ${input(name, value)}</label>`
  })
}

/**
 * The switches in a sent form; a missing checkbox is one that is off.
 * @throws SyntaxError for a JSON field that is none
 */
export function switchesFromForm(form: URLSearchParams, current: Switches): Partial<Switches> {
  const given = switchNames().map((name) => [name, fromField(name, form.get(name), current[name])])
  const removed = Object.keys(current.answers).map((operation) => [operation, null])
  const switches: Partial<Switches> = Object.fromEntries(given)
  return { ...switches, answers: { ...Object.fromEntries(removed), ...switches.answers } }
}

function switchNames(): (keyof Switches)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record just above
  return Object.keys(meaning) as (keyof Switches)[]
}

function input(name: keyof Switches, value: Switches[keyof Switches]): Html {
  const options = choices[name]
  if (options) {
    return html`<select name="${name}">
      ${options.map((option) => html`<option ${option === value && 'selected'}>${option}</option>`)}
    </select>`
  }
  if (optionalTexts.includes(name))
    return html`<input name="${name}" value="${typeof value === 'string' ? value : ''}" />`
  const json = JSON.stringify(value, null, 2)
  return typeof value === 'object'
    ? html`<textarea name="${name}" spellcheck="false">${json}</textarea>`
    : html`<input name="${name}" value="${json}" />`
}

function fromField(name: keyof Switches, field: string | null, current: Switches[keyof Switches]): unknown {
  if (typeof current === 'boolean') return field !== null
  if (field === null) return current
  if (optionalTexts.includes(name)) return field === '' ? null : field
  if (choices[name]) return field
  return JSON.parse(field)
}
