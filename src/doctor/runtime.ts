// What onramp runs on: the version of Node, and proxies for outgoing requests.
import type { Check } from './check.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** The same as in require-node.mjs and package.json: it says why 24.2 is too old. */
const LEAST_NODE = { major: 24, minor: 3 }

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
    const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(node) ?? []).map(Number)
    const isNewEnough = major > LEAST_NODE.major || (major === LEAST_NODE.major && minor >= LEAST_NODE.minor)
    const version = isNewEnough
      ? ok(`Node ${node} is new enough.`)
      : fail(`Node ${node} is too old.`, {
          mend: `run it with Node ${LEAST_NODE.major}.${LEAST_NODE.minor} or newer`,
        })
    return [version, ...proxyFindings(env)]
  },
}
