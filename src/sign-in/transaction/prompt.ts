// The parameter `prompt` (OpenID Connect Core 3.1.2.1): OIDC_PROMPT, and the prompts for people who switch
// accounts or were signed out. Pure.

/** `select_account`: "Not you?". `login`: its fallback, and for browsers that were signed out. */
export type Prompt = 'select_account' | 'login'

export const PROMPTS: readonly Prompt[] = ['select_account', 'login']

/** @param value untrusted: a query parameter */
export const parsePrompt = (value: unknown): Prompt | undefined => PROMPTS.find((known) => known === value)

/** Google documents these, but not `login`; its metadata lists none. */
const GOOGLE = { issuer: 'https://accounts.google.com', supported: ['none', 'consent', 'select_account'] }

/** The prompt if the server supports it or lists none, else the other one. */
export function supportedPrompt(
  prompt: Prompt,
  // The metadata of Initiating User Registration 1.0.
  { issuer, prompt_values_supported: listed }: { issuer: string; prompt_values_supported?: unknown },
): Prompt {
  const supported = issuer === GOOGLE.issuer ? GOOGLE.supported : listed
  if (!Array.isArray(supported) || supported.includes(prompt)) return prompt
  return prompt === 'login' && supported.includes('select_account') ? 'select_account' : 'login'
}

/** The value to send. @param always OIDC_PROMPT */
export function promptParameter(always: string | undefined, prompt: Prompt | undefined): string | undefined {
  const values = new Set(always?.split(' '))
  if (prompt !== undefined) values.add(prompt)
  // login is sent after a select_account that didn't help.
  if (prompt === 'login') values.delete('select_account')
  return values.size === 0 ? undefined : [...values].join(' ')
}

/** The person, an outage or the configuration causes these errors. After any other one, prompt=login may help. */
const OTHER_CAUSES =
  /^(access_denied|server_error|temporarily_unavailable|unauthorized_client|invalid_(client|scope|target|grant))$/

export const isSelectAccountRefused = (prompt: Prompt | undefined, error: string): boolean =>
  prompt === 'select_account' && !OTHER_CAUSES.test(error)
