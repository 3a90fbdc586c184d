// Every check, in the order of the report.
import { withMetadata, type Check, type Group } from './check.ts'
import { clockOfAuthorizationServer, clockOfService } from './clock.ts'
import { abilities } from './server/abilities.ts'
import { client, clientBasic, clientKey } from './server/client.ts'
import { discovery, keys } from './server/metadata.ts'
import { provider } from './server/providers.ts'
import { redirectAddresses, redirectRegistered } from './server/redirect.ts'
import { registration } from './server/registration.ts'
import { deprecationDates, finalRedirect, serviceReachable, serviceToken } from './service/service.ts'
import { tokenIssuer } from './service/token-issuer.ts'
import { company } from './settings/company.ts'
import { mail } from './settings/mail.ts'
import { authorities, outboundProxy } from './settings/outbound.ts'
import { intranet, publicReached, publicUrl } from './settings/public-url.ts'
import { settingNames, settingsRead } from './settings/reading.ts'
import { host, metrics, proxyTrust, runtime, sessionLifetimes } from './settings/running.ts'
import { quotes, secretFiles, secretQuality } from './settings/secrets.ts'
import { webhooks } from './settings/webhooks.ts'
import { redis } from './store/redis.ts'
import { sqlite } from './store/sqlite.ts'
import { unreadRecords } from './store/unread-records.ts'

type Row = [id: string, about: string, look: Check['look'], network?: 'network']

const rows: readonly Row[] = [
  ['settings.read', 'The settings', settingsRead],
  ['settings.names', 'Setting names', settingNames],
  ['settings.secrets', 'Secrets', secretQuality],
  ['settings.files', 'Secret files', secretFiles],
  ['settings.quotes', 'Quotes', quotes],
  ['settings.public-url', 'Public URL', publicUrl],
  ['settings.public-url-reached', 'Reaching the public URL', publicReached, 'network'],
  ['settings.host', 'Listening address', host],
  ['settings.intranet', 'The intranet', intranet],
  ['settings.company', 'The company file', company],
  ['settings.mail', 'The mail server', mail, 'network'],
  ['settings.webhooks', 'Webhooks', webhooks, 'network'],
  ['settings.proxy', 'Reverse proxies', proxyTrust],
  ['settings.outbound-proxy', 'The outbound proxy', outboundProxy],
  ['settings.authorities', 'Private certificate authorities', authorities],
  ['settings.metrics', 'Metrics', metrics],
  ['settings.session', 'Session lifetimes', sessionLifetimes],
  ['settings.runtime', 'Node', runtime],
  ['authorization-server.discovery', 'The authorization server', discovery, 'network'],
  ['authorization-server.clock', 'The clock', clockOfAuthorizationServer, 'network'],
  [
    'authorization-server.provider',
    'Identity provider',
    withMetadata((metadata, { settings }) => provider(metadata, settings)),
    'network',
  ],
  ['authorization-server.abilities', 'Capabilities', withMetadata(abilities), 'network'],
  ['authorization-server.keys', 'Signing keys', withMetadata(keys), 'network'],
  ['authorization-server.redirect-addresses', 'URLs to register', redirectAddresses],
  ['authorization-server.redirect-registered', 'Redirect URI', withMetadata(redirectRegistered), 'network'],
  ['authorization-server.client-key', 'Client key', clientKey],
  ['authorization-server.client-basic', 'Client secret in a header', clientBasic],
  ['authorization-server.client', 'The client', withMetadata(client), 'network'],
  ['authorization-server.registration', 'Dynamic registration', withMetadata(registration), 'network'],
  ['store.sqlite', 'The embedded store', sqlite],
  ['store.redis', 'Redis', redis, 'network'],
  ['store.records', 'Records about people', unreadRecords, 'network'],
  ['service.reachable', 'The service', serviceReachable, 'network'],
  ['service.clock', 'The clock', clockOfService, 'network'],
  ['service.token-issuer', 'Token issuer', tokenIssuer, 'network'],
  ['service.token', 'Service tokens', serviceToken, 'network'],
  ['service.final-redirect', 'Redirect after consent', finalRedirect, 'network'],
  ['service.deprecations', 'Upcoming API removals', deprecationDates],
]

/** By what an id begins with. */
const GROUPS: Record<string, Group> = {
  settings: 'Settings',
  'authorization-server': 'Authorization server',
  store: 'Store',
  service: 'Service',
}

export const checks: readonly Check[] = rows.map(([id, about, look, network]) => {
  const group = GROUPS[id.split('.')[0] ?? '']
  if (group === undefined) throw new Error(`no group for the check ${id}`)
  return { id, about, group, isOnline: network !== undefined, look }
})
