// What the authorization server's endpoints answered about the client and its redirect address, or, where there is no
// client yet, about registering one.
import { readRefusal } from '../sign-in/registration/answer.ts'
import { formEncoded } from '../sign-in/server/client-authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { isRefusal, otherMethod, type ClientFacts } from './client.ts'
import type { Table } from './rule.ts'
import type { ServerFacts } from './server.ts'

/** OpenID Connect Core 3.1.2.6: no one is signed in here, as expected. */
const EXPECTED = /^(login|interaction|consent|account_selection)_required$|^access_denied$/

/** By the error that came back (RFC 6749 4.1.2.1). */
const ERRORS = {
  invalid_scope: 'scope',
  invalid_target: 'target',
  unauthorized_client: 'unauthorized',
} as const

const isAboutClient = (text: string) =>
  /invalid_client|unknown client|client.{0,20}(not found|invalid|unknown|does not exist)/i.test(text) &&
  !/invalid_redirect/i.test(text)

type Asked = ClientFacts['asked'][number]

const askedWith = ({ client }: ServerFacts, matches: (asked: Asked) => boolean): Asked | undefined =>
  client?.asked.find(matches)

/** The client itself is refused: then a refused sign-in says nothing more. */
const isClientRejected = (facts: ServerFacts) =>
  askedWith(facts, ({ ours }) => ours === 'refused' || ours === 'not-allowed') !== undefined

/** RFC 6749 4.1.2.1: people are sent back only to a registered address, so another answer to an invented one tells. */
const isTold = ({ ours, invented }: NonNullable<ServerFacts['authorization']>) =>
  invented.kind === 'refused' ||
  (invented.kind === 'page' && ours.kind !== 'page') ||
  (ours.kind === 'back' && invented.kind === 'barred' && [401, 403].includes(invented.status))

/** How the client proves itself: as it is set or registered, or as the next start would ask for it. */
const methodIn = ({ client, registration }: ServerFacts, { OIDC_CLIENT_AUTH: method }: Partial<Settings>) =>
  client?.client.how.method ?? registration?.requested.token_endpoint_auth_method ?? method ?? ''

const KNOWN_METHOD = /^(client_secret_(basic|post)|private_key_jwt|none)$/

function rejected({ client: { id, how, isRegistered } }: ClientFacts, { endpoint }: Asked) {
  if (isRegistered) return { is: 'registered', endpoint } as const
  // Basic percent-encodes all but letters, digits and - _ . * (RFC 6749 2.3.1), which some servers don't decode.
  const isBasic = how.method === 'client_secret_basic'
  if (isBasic && [id, how.secret ?? ''].some((text) => formEncoded(text) !== text))
    return { is: 'encoded', endpoint } as const
  const proof = how.method === 'private_key_jwt' ? 'OIDC_CLIENT_KEY, ' : 'OIDC_CLIENT_SECRET, '
  return { is: 'rejected', endpoint, proof: how.method === 'none' ? '' : proof } as const
}

/** No request at all is taken, or none that has no token. */
const IS_CLOSED = [404, 405, 410, 501]
const IS_ABOUT_THE_TOKEN = /^(invalid_token|insufficient_scope|access_denied|unauthorized_client)$/

export const clientTable: Table<ServerFacts> = {
  'authorization-server.redirect-registered': [
    (facts) => {
      if (facts.authorization === undefined) return undefined
      const { ours, redirect } = facts.authorization
      if (ours.kind === 'silent') return ours.status ? { is: 'failing', status: ours.status } : 'silent'
      if (ours.kind === 'barred' && ours.status === 429) return 'limited'
      if (isClientRejected(facts)) return undefined
      if (ours.kind === 'barred') return { is: 'barred', status: ours.status, redirect }
      if (ours.kind === 'refused') {
        const isAboutRedirect = /redirect/i.test(ours.text)
        const is = isAboutClient(ours.text) ? 'client' : isAboutRedirect ? 'redirect' : 'refused'
        return { is, status: ours.status, redirect }
      }
      const error = ours.kind === 'back' ? ours.error : undefined
      if (error === undefined || EXPECTED.test(error)) return undefined
      if (error in ERRORS) return ERRORS[error as keyof typeof ERRORS]
      return { is: 'error', error: /^[a-z_]{1,40}$/.test(error) ? error : 'an error' }
    },
    ({ authorization }) =>
      authorization && isTold(authorization) && { is: 'fine', redirect: authorization.redirect },
  ],
  'authorization-server.client': [
    (facts) =>
      facts.client &&
      askedWith(facts, (asked) => asked.otherMethod === 'accepted') && {
        is: 'other-method',
        method: otherMethod(facts.client.client.how.method),
      },
    ({ client }) => {
      const isPublic = client?.client.how.method === 'none'
      const isTelling = (asked: Asked) => isRefusal(isPublic ? asked.inventedId : asked.wrongSecret)
      return client?.asked.some(isTelling) && (isPublic ? 'public' : 'fine')
    },
    (facts, { settings }) => {
      const { token_endpoint_auth_methods_supported: methods } = facts.metadata
      const method = methodIn(facts, settings)
      const usable = methods?.filter((one) => KNOWN_METHOD.test(one)).join(' or ')
      return (
        methods?.includes(method) === false && {
          is: 'unlisted',
          method,
          usable: usable || 'a method that the server supports',
        }
      )
    },
    (facts) => {
      const asked = askedWith(facts, ({ ours }) => ours === 'refused')
      return facts.client && asked && rejected(facts.client, asked)
    },
    (facts) => {
      const { ours = '', inventedId } = askedWith(facts, ({ endpoint }) => endpoint === 'token') ?? {}
      if (ours === 'silent') return 'silent'
      if (ours.startsWith('status ')) return { is: 'failing', answer: ours }
      // Some servers say the same of any client that they don't accept.
      return ours === 'not-allowed' && (inventedId === 'not-allowed' ? 'unauthorized' : 'not-allowed')
    },
  ],
  'authorization-server.registration': [
    (facts) => facts.client?.client.isRegistered && !isClientRejected(facts) && 'kept',
    ({ registration, metadata }) => registration && metadata.registration_endpoint === undefined && 'none',
    ({ registration: { reply } = {} }, { settings: { OIDC_INITIAL_ACCESS_TOKEN: token } }) => {
      if (reply === undefined || reply.kind === 'silent') return reply && 'silent'
      const { status, text } = reply
      const isAboutToken = IS_ABOUT_THE_TOKEN.test(readRefusal(text, undefined).error ?? '')
      if (status === 401 || status === 403 || (status === 400 && isAboutToken))
        return { is: token === undefined ? 'no-token' : 'token', status }
      if (IS_CLOSED.includes(status)) return { is: 'closed', status }
      return (status === 429 || status >= 500) && { is: 'failing', status }
    },
    ({ registration: { requested } = {} }) =>
      requested && {
        is: 'will-ask',
        method: requested.token_endpoint_auth_method,
        algorithm: requested.id_token_signed_response_alg ?? 'RS256',
      },
  ],
}
