// Every check, in the order in which they are told.
import { abilities } from './server/abilities.ts'
import type { Check } from './check.ts'
import { clientKey } from './settings/client-key.ts'
import { clientBasic } from './server/client-basic.ts'
import { client } from './server/client.ts'
import { clockOfAuthorizationServer, clockOfService } from './clock.ts'
import { deprecationDates } from './deprecation-dates.ts'
import { discovery } from './server/discovery.ts'
import { finalRedirect } from './service/final-redirect.ts'
import { host } from './settings/host.ts'
import { intranet } from './settings/intranet.ts'
import { keys } from './server/keys.ts'
import { mail } from './mail.ts'
import { proxyTrust } from './settings/proxy-trust.ts'
import { publicReached } from './settings/public-reached.ts'
import { publicUrl } from './settings/public-url.ts'
import { quotes } from './settings/quotes.ts'
import { redirectAddresses } from './settings/redirect-addresses.ts'
import { redirectRegistered } from './server/redirect-registered.ts'
import { redis } from './store/redis.ts'
import { registration } from './server/registration.ts'
import { runtime } from './runtime.ts'
import { secretFiles } from './settings/secret-files.ts'
import { secretQuality } from './settings/secret-quality.ts'
import { serviceReachable } from './service/reachable.ts'
import { serviceToken } from './service/token.ts'
import { sessionLifetimes } from './settings/session-lifetimes.ts'
import { settingNames } from './settings/setting-names.ts'
import { settingsRead } from './settings/settings-read.ts'
import { sqlite } from './store/sqlite.ts'
import { tokenIssuer } from './server/token-issuer.ts'
import { unreadRecords } from './store/unread-records.ts'

export const checks: readonly Check[] = [
  settingsRead,
  settingNames,
  secretQuality,
  secretFiles,
  quotes,
  publicUrl,
  publicReached,
  host,
  intranet,
  mail,
  proxyTrust,
  sessionLifetimes,
  runtime,
  discovery,
  clockOfAuthorizationServer,
  abilities,
  keys,
  redirectAddresses,
  redirectRegistered,
  clientKey,
  clientBasic,
  client,
  registration,
  sqlite,
  redis,
  unreadRecords,
  serviceReachable,
  clockOfService,
  tokenIssuer,
  serviceToken,
  finalRedirect,
  deprecationDates,
]
