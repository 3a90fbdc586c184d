// What onramp runs on: the version of Node, and proxies for outgoing requests.
import { fail, ok, warn, type Check, type Finding } from './check.ts'

const LEAST_NODE = 24

function proxyFindings(env: NodeJS.ProcessEnv): Finding[] {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].filter((name) => env[name])
  if (names.length === 0) return []
  return [
    warn(`${names[0]} is set, but onramp reaches the service without a proxy.`, {
      settings: names,
      mend: 'let this machine reach SERVICE_BASE_URL and OIDC_ISSUER directly',
    }),
  ]
}

export const runtime: Check = {
  id: 'settings.runtime',
  about: 'What it runs on',
  group: 'Settings',
  look({ node, env }) {
    const major = Number(/^v(\d+)/.exec(node)?.[1] ?? 0)
    const version =
      major >= LEAST_NODE
        ? ok(`Node ${node} is new enough.`)
        : fail(`Node ${node} is too old.`, { mend: `run it with Node ${LEAST_NODE} or newer` })
    return [version, ...proxyFindings(env)]
  },
}
