// What an operator adds to the authorization request: `prompt`, and what a provider of theirs wants besides.
import { text } from './values.ts'

const PROMPTS = ['login', 'consent', 'select_account']

/** Values of OpenID Connect Core 3.1.2.1, separated by spaces. */
export const prompts = text
  .transform((value) => [...new Set(value.split(/\s+/))])
  .superRefine((values, context) => {
    if (values.includes('none'))
      context.addIssue(
        'must not be `none`: everyone who is not signed in there already would be sent back with an error',
      )
    else if (!values.every((value) => PROMPTS.includes(value)))
      context.addIssue(
        'must be `consent`, `login` or `select_account`, or several of them separated by spaces',
      )
  })
  .transform((values) => values.join(' '))

/** Sent by onramp itself, or by a setting of its own. */
const OWN_PARAMETERS: Record<string, string> = {
  prompt: 'OIDC_PROMPT',
  scope: 'OIDC_SCOPE',
  resource: 'OIDC_RESOURCE',
  audience: 'OIDC_AUDIENCE',
  client_id: 'OIDC_CLIENT_ID',
}
const NEVER_EXTRA =
  /^(redirect_uri|state|nonce|response_(type|mode)|code_challenge(_method)?|request(_uri)?|login_hint|id_token_hint|ui_locales|client_.*)$/

/** More parameters of the authorization request, written as in an address: `access_type=offline&hd=acme.example`. */
export const authorizationParameters = text.transform((value, context) => {
  const pairs = [...new URLSearchParams(value)]
  const fault = (message: string) => context.addIssue({ code: 'custom', message })
  if (!pairs.every(([name, given]) => /^[\w.-]+$/.test(name) && given !== ''))
    fault('must be like access_type=offline, several separated by &')
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) fault('has a parameter twice')
  for (const [name] of pairs) {
    if (Object.hasOwn(OWN_PARAMETERS, name)) fault(`must not hold ${name}: set ${OWN_PARAMETERS[name]}`)
    else if (NEVER_EXTRA.test(name))
      fault(`must not hold ${name}, which onramp sends as each sign-in needs it`)
  }
  return Object.fromEntries(pairs)
})
