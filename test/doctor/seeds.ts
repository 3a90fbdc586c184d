// One thing made wrong in a set-up that is right, and what the doctor has to say of it.
import type { Switches } from '../../packages/sandbox/src/control/switches.ts'
import { newSecret, type SetUp } from './set-up.ts'

export type Seed = {
  title: string
  /** Settings that are not as they should be. @param closedPort nobody listens there */
  changed?: (ours: SetUp, closedPort: number) => Record<string, string>
  switches?: Partial<Switches>
  args?: string[]
  now?: () => number
  check: string
  setting?: string
  says: RegExp
}

const client = 'authorization-server.client'
const registration = 'authorization-server.registration'
const closed = (status: number) => ({ faults: { registration: { closed: status } } })
const noClient = () => ({ OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' })

export const seeds: Seed[] = [
  {
    title: 'a client that is not known',
    changed: () => ({ OIDC_CLIENT_ID: 'onrmap' }),
    check: client,
    setting: 'OIDC_CLIENT_ID',
    says: /invalid_client/,
  },
  {
    title: 'a wrong client secret',
    changed: () => ({ OIDC_CLIENT_SECRET: newSecret() }),
    check: client,
    setting: 'OIDC_CLIENT_SECRET',
    says: /invalid_client/,
  },
  {
    title: 'a scope that the authorization server does not know',
    changed: () => ({ OIDC_SCOPE: 'openid offline_access groups' }),
    check: 'authorization-server.abilities',
    setting: 'OIDC_SCOPE',
    says: /groups/,
  },
  {
    title: 'an issuer where nobody is',
    changed: (_ours, closedPort) => ({ OIDC_ISSUER: `http://127.0.0.1:${closedPort}` }),
    check: 'authorization-server.discovery',
    setting: 'OIDC_ISSUER',
    says: /connection refused/,
  },
  {
    title: 'an issuer that lacks its path',
    changed: (ours) => ({ OIDC_ISSUER: `${ours.sandbox.urls.authorizationServer}/oauth2/default` }),
    check: 'authorization-server.discovery',
    setting: 'OIDC_ISSUER',
    says: /path/,
  },
  {
    title: 'an authorization server that is down',
    switches: { authorizationServerDown: true },
    check: 'authorization-server.discovery',
    setting: 'OIDC_ISSUER',
    says: /./,
  },
  {
    title: 'a clock that is ten minutes ahead',
    now: () => Date.now() + 600_000,
    check: 'authorization-server.clock',
    says: /10 minutes ahead.*NTP/,
  },
  {
    title: 'a clock that is a minute behind',
    now: () => Date.now() - 60_000,
    check: 'service.clock',
    says: /(59|60) seconds behind/,
  },
  {
    title: 'registration that is closed by 403',
    changed: noClient,
    switches: closed(403),
    check: registration,
    setting: 'OIDC_INITIAL_ACCESS_TOKEN',
    says: /yourself.*OIDC_CLIENT_ID/,
  },
  {
    title: 'registration that is closed by 404',
    changed: noClient,
    switches: closed(404),
    check: registration,
    setting: 'OIDC_CLIENT_ID',
    says: /closed \(404\)/,
  },
  {
    title: 'registration that fails with 500',
    changed: noClient,
    switches: closed(500),
    check: registration,
    setting: 'OIDC_CLIENT_ID',
    says: /returned an error \(500\)/,
  },
  {
    title: 'a service without its path',
    changed: (ours) => ({ SERVICE_BASE_URL: `${ours.sandbox.urls.service}/tenant/a` }),
    check: 'service.reachable',
    setting: 'SERVICE_BASE_URL',
    says: /path/,
  },
  {
    title: 'a service that is not there',
    changed: (_ours, closedPort) => ({ SERVICE_BASE_URL: `http://127.0.0.1:${closedPort}` }),
    check: 'service.reachable',
    setting: 'SERVICE_BASE_URL',
    says: /connection refused/,
  },
  {
    title: 'a service that fails',
    switches: { serviceDown: true },
    check: 'service.reachable',
    setting: 'SERVICE_BASE_URL',
    says: /./,
  },
  {
    title: 'an address that redirects',
    switches: {
      answers: { checkdatasourceauth: { status: 302, headers: { location: 'https://elsewhere.test' } } },
    },
    check: 'service.reachable',
    setting: 'SERVICE_BASE_URL',
    says: /redirects \(302\)/,
  },
  {
    title: 'a web page where the Client API should be',
    switches: {
      answers: { checkdatasourceauth: { status: 200, body: '<!doctype html>', contentType: 'text/html' } },
    },
    check: 'service.reachable',
    setting: 'SERVICE_BASE_URL',
    says: /backend/,
  },
  {
    title: 'a service token that is not accepted',
    changed: () => ({ SERVICE_USER_TOKEN: newSecret() }),
    check: 'service.token',
    setting: 'SERVICE_USER_TOKEN',
    says: /401/,
  },
  {
    title: 'a service token without the scope',
    changed: (ours) => ({ SERVICE_USER_TOKEN: ours.sandbox.serviceTokens.user('ada', ['search']) }),
    check: 'service.token',
    setting: 'SERVICE_USER_TOKEN',
    says: /scope \(403\)/,
  },
  {
    title: "a global token in the place of a person's",
    changed: (ours) => ({ SERVICE_USER_TOKEN: ours.sandbox.serviceTokens.global, SERVICE_GLOBAL_TOKEN: '' }),
    check: 'service.token',
    setting: 'SERVICE_GLOBAL_TOKEN',
    says: /X-Service-ActAs.*--as EMAIL/,
  },
  {
    title: 'a person whom nobody knows',
    args: ['--as', 'nobody@acme.example'],
    check: 'service.token',
    setting: 'SERVICE_GLOBAL_TOKEN',
    says: /--as/,
  },
  {
    title: 'a made-up token that is answered with Invalid Secret',
    switches: { answers: { checkdatasourceauth: { status: 401, body: 'Invalid Secret' } } },
    changed: (ours) => ({ OIDC_ISSUER: ours.sandbox.urls.externalIdp.replace('127.0.0.1', 'localhost') }),
    check: 'service.token-issuer',
    setting: 'TOKEN_ISSUED_BY',
    says: /external-idp/,
  },
  {
    title: 'a well-known identity provider whose tokens are taken for the service’s',
    changed: (ours) => ({ OIDC_ISSUER: `${ours.sandbox.urls.externalIdp}/realms/acme` }),
    check: 'service.token-issuer',
    setting: 'TOKEN_ISSUED_BY',
    says: /external-idp/,
  },
  {
    title: 'a header that gets lost on the way',
    changed: () => ({ TOKEN_ISSUED_BY: 'external-idp' }),
    switches: {
      answers: { checkdatasourceauth: { status: 401, body: 'Required header missing: X-Service-Auth-Type' } },
    },
    check: 'service.token-issuer',
    setting: 'SERVICE_BASE_URL',
    says: /X-Service-Auth-Type/,
  },
  {
    title: 'Invalid Secret although the header was sent, which TOKEN_ISSUED_BY does not help against',
    changed: () => ({ TOKEN_ISSUED_BY: 'external-idp' }),
    switches: { answers: { checkdatasourceauth: { status: 401, body: 'Invalid Secret' } } },
    check: 'service.token-issuer',
    setting: 'SERVICE_BASE_URL',
    says: /although onramp sent X-Service-Auth-Type: OAUTH(?!.*TOKEN_ISSUED_BY)/,
  },
  {
    title: 'a way back that the service does not accept',
    args: ['--as', 'ada@acme.example'],
    switches: { answers: { checkdatasourceauth: { skip: 2, status: 400, body: 'not an allowed redirect' } } },
    check: 'service.final-redirect',
    setting: 'PUBLIC_URL',
    says: /final_redirect_url/,
  },
]
