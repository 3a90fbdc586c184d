// The settings of the authorization server and the service's tokens: a part of definitions.ts.
import { clientCredentials } from './client-credentials.ts'
import { webUrl, bearerToken, oneOf, text, type Setting } from './values.ts'

const PROMPTS = ['login', 'consent', 'select_account']

const prompts = text.transform((value, context) => {
  const values = [...new Set(value.split(/\s+/))]
  const noneFault =
    'must not be `none`: everyone who is not signed in there already would be sent back with an error'
  const unknownFault =
    'must be `consent`, `login` or `select_account`, or several of them separated by spaces'
  if (values.includes('none')) context.addIssue(noneFault)
  else if (!values.every((prompt) => PROMPTS.includes(prompt))) context.addIssue(unknownFault)
  return values.join(' ')
})

const OWN_PARAMETERS: Record<string, string> = {
  prompt: 'OIDC_PROMPT',
  scope: 'OIDC_SCOPE',
  resource: 'OIDC_RESOURCE',
  audience: 'OIDC_AUDIENCE',
  client_id: 'OIDC_CLIENT_ID',
}
const NEVER_EXTRA =
  /^(redirect_uri|state|nonce|response_(type|mode)|code_challenge(_method)?|request(_uri)?|login_hint|id_token_hint|ui_locales|client_.*)$/

/** Additional parameters of the authorization request, as in a URL: `access_type=offline&hd=acme.example`. */
const authorizationParameters = text.transform((value, context) => {
  const pairs = [...new URLSearchParams(value)]
  const fault = (message: string) => context.addIssue(message)
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

const claimName = text.regex(/^[\w.:/-]{1,100}$/, 'must be the name of a claim')

export const authorizationServerDefinitions = {
  OIDC_ISSUER: {
    required: true,
    meaning: "The authorization server: the service's own or the external identity provider",
    schema: webUrl(),
  },
  TOKEN_ISSUED_BY: {
    default: 'service',
    meaning:
      '`service` or `external-idp` (onramp then sends `X-Service-Auth-Type: OAUTH` with every access token)',
    schema: oneOf(['service', 'external-idp']),
  },
  OIDC_CLIENT_ID: { meaning: 'Client ID. If unset, onramp registers itself (RFC 7591)', schema: text },
  OIDC_CLIENT_AUTH: {
    default: 'client_secret_basic',
    meaning: 'How the client authenticates; not used with `OIDC_CLIENT_ASSERTION_FILE`',
    details:
      '`client_secret_basic`, `client_secret_post`, `private_key_jwt` or `none`. When onramp registers itself, the default is `client_secret_post` if the server lists it.',
    schema: oneOf(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
  },
  ...clientCredentials('OIDC', '`private_key_jwt`'),
  OIDC_INITIAL_ACCESS_TOKEN: {
    secret: true,
    meaning: 'Initial access token for dynamic registration, if the server requires one',
    schema: text.regex(/^[!-~]+$/, 'has characters that no header can carry'),
  },
  OIDC_SCOPE: {
    default: 'openid email profile offline_access',
    meaning: 'Scopes requested at sign-in. Without `openid`, onramp uses plain OAuth 2.1 (no ID token)',
    schema: text
      .transform((scope) => scope.trim().split(/\s+/).join(' '))
      // RFC 6749 3.3.
      .refine((scope) => /^[ !#-[\]-~]+$/.test(scope), 'must be names separated by spaces, without quotes'),
  },
  OIDC_PROMPT: {
    meaning: 'Sent as `prompt` at sign-in: `consent`, `login`, `select_account`, or several of them',
    details: 'Some servers issue refresh tokens only with `consent`.',
    schema: prompts,
  },
  OIDC_AUTHORIZATION_PARAMS: {
    meaning:
      'Further parameters of the authorization request, written as in an address, such as `access_type=offline` for Google',
    schema: authorizationParameters,
  },
  OIDC_EMAIL_CLAIM: {
    default: 'email',
    meaning: "The claim with a person's email address, such as `preferred_username` or `upn`",
    schema: claimName,
  },
  OIDC_EMAIL_TRUST: {
    default: 'verified',
    meaning: 'Email addresses that are trusted for `/admin` and reports: `verified` or `always`',
    details:
      '`verified`: the claim `email_verified` confirms the address. `always`: for a company that issues the addresses, if the server omits the claim.',
    schema: oneOf(['verified', 'always']),
  },
  OIDC_GROUPS_CLAIM: {
    default: 'groups',
    meaning: "The claim with a person's groups, for `ADMIN_GROUPS`",
    details:
      'A list, one name, or an object with an object for each name. A claim inside another one is written like `realm_access.roles`.',
    schema: claimName,
  },
  OIDC_RESOURCE: {
    meaning: 'The RFC 8707 resource that the access token is for',
    schema: webUrl({ mayHaveQuery: true }),
  },
  OIDC_AUDIENCE: {
    meaning: 'The `audience` parameter, for authorization servers that require one',
    schema: text,
  },
  SERVICE_USER_TOKEN: {
    secret: true,
    meaning: "A person's service token, for the command line; the server does not use it",
    schema: bearerToken,
  },
  SERVICE_GLOBAL_TOKEN: {
    secret: true,
    meaning:
      'A global service token, for the command line; only sent with `X-Service-ActAs`; the server does not use it',
    schema: bearerToken,
  },
} as const satisfies Record<string, Omit<Setting, 'name'>>
