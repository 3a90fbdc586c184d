// The settings of calls to other servers: a part of definitions.ts.
import type { Definitions } from './setting.ts'
import { headerPrefix, list, noProxyEntry, proxy } from './values.ts'

export const outboundDefinitions = {
  HTTPS_PROXY: {
    secret: true,
    lowerCase: true,
    meaning:
      'Forward proxy for calls to the service, the authorization server and `WEBHOOK_URL`, like `http://name:3128`, with `user:password@` if it needs them; also read as `https_proxy`',
    schema: proxy,
  },
  HTTP_PROXY: {
    secret: true,
    lowerCase: true,
    meaning: 'Used if `HTTPS_PROXY` is not set; also read as `http_proxy`',
    schema: proxy,
  },
  NO_PROXY: {
    lowerCase: true,
    meaning:
      'Comma-separated hosts to reach without the proxy: `name` (also everything below it, as are `.name` and `*.name`), `name:port`, an address, a range like `10.0.0.0/8`, or `*`. This machine always is; also read as `no_proxy`',
    schema: list(noProxyEntry),
  },
  SERVICE_HEADER_PREFIX: {
    default: 'X-Service',
    meaning: "What the service's own headers begin with, as in `X-Service-Auth-Type` and `X-Service-ActAs`",
    schema: headerPrefix,
  },
} as const satisfies Definitions
