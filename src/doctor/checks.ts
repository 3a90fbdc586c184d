// Every check, in the order in which they are told.
import { abilities } from './abilities.ts'
import type { Check } from './check.ts'
import { clientKey } from './client-key.ts'
import { clientBasic } from './client-basic.ts'
import { client } from './client.ts'
import { clockOfAuthorizationServer, clockOfService } from './clock.ts'
import { deprecationDates } from './deprecation-dates.ts'
import { discovery } from './discovery.ts'
import { finalRedirect } from './final-redirect.ts'
import { host } from './host.ts'
import { intranet } from './intranet.ts'
import { keys } from './keys.ts'
import { mail } from './mail.ts'
import { proxyTrust } from './proxy-trust.ts'
import { publicReached } from './public-reached.ts'
import { publicUrl } from './public-url.ts'
import { quotes } from './quotes.ts'
import { redirectAddresses } from './redirect-addresses.ts'
import { redirectRegistered } from './redirect-registered.ts'
import { redis } from './redis.ts'
import { registration } from './registration.ts'
import { runtime } from './runtime.ts'
import { secretFiles } from './secret-files.ts'
import { secretQuality } from './secret-quality.ts'
import { serviceReachable } from './service-reachable.ts'
import { serviceToken } from './service-token.ts'
import { sessionLifetimes } from './session-lifetimes.ts'
import { settingNames } from './setting-names.ts'
import { settingsRead } from './settings-read.ts'
import { sqlite } from './sqlite.ts'
import { tokenIssuer } from './token-issuer.ts'
import { unreadRecords } from './unread-records.ts'

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
