// What `prompt` says at sign-in (OpenID Connect Core 3.1.2.1): what the operator set, and what a person needs who
// asked for another account, or was signed out. Pure.

/** `select_account`: "Not you?". `login`: the fallback for servers without that, and for signed-out browsers. */
export type Prompt = 'select_account' | 'login'

const PROMPTS: readonly Prompt[] = ['select_account', 'login']

/** @param value untrusted: a query parameter */
export const parsePrompt = (value: unknown): Prompt | undefined => PROMPTS.find((known) => known === value)

/** Google's metadata says nothing of it; its documentation has these, and no `login`. */
const GOOGLE = { issuer: 'https://accounts.google.com', supported: ['none', 'consent', 'select_account'] }

/** The one that the server knows, or the other in its place; where nothing is known, the one that was asked for. */
export function supportedPrompt(
  prompt: Prompt,
  // Of Initiating User Registration 1.0.
  { issuer, prompt_values_supported: listed }: { issuer: string; prompt_values_supported?: unknown },
): Prompt {
  const supported = issuer === GOOGLE.issuer ? GOOGLE.supported : listed
  if (!Array.isArray(supported) || supported.includes(prompt)) return prompt
  return prompt === 'login' && supported.includes('select_account') ? 'select_account' : 'login'
}

/** The parameter. @param always OIDC_PROMPT */
export function promptParameter(always: string | undefined, prompt: Prompt | undefined): string | undefined {
  const values = new Set(always?.split(' '))
  if (prompt !== undefined) values.add(prompt)
  // It was tried, and did not help.
  if (prompt === 'login') values.delete('select_account')
  return values.size === 0 ? undefined : [...values].join(' ')
}

/** Caused by the person, an outage or the configuration. After any other error, prompt=login may still help. */
const OTHER_CAUSES = new Set([
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'invalid_grant',
])

export const isSelectAccountRefused = (prompt: Prompt | undefined, error: string): boolean =>
  prompt === 'select_account' && !OTHER_CAUSES.has(error)

/** A server that does not take `prompt=login` (RFC 6749 4.1.2.1). Other errors may be a person's who cancelled. */
export const isPromptLoginRefused = (error: string): boolean => error === 'invalid_request'
