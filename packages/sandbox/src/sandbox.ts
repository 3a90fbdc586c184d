// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses. They keep everything in memory, until they stop.
import { createControl } from './control/control.ts'
import { createSwitches, type Switches, type SwitchesControl } from './control/switches.ts'
import { createAuthorizations } from './datasource/authorizations.ts'
import { createConsents } from './datasource/consents.ts'
import { createDatasource } from './datasource/datasource.ts'
import { createJournal, type Journal } from './journal.ts'
import { listenAll, type Listeners, type ListenersOptions } from './listeners.ts'
import { startMailCatcher } from './mail.ts'
import { company, defaultPeople, type Person } from './people.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type SandboxClient,
} from './provider/identity-provider.ts'
import type { Sandbox } from './running.ts'
import { createCallers } from './service/callers.ts'
import { createRateLimit } from './service/rate-limit.ts'
import { createService } from './service/service.ts'

export type { Sandbox }

export type SandboxOptions = ListenersOptions & {
  /** Clients that both authorization servers know from the start. */
  clients?: SandboxClient[]
  people?: Person[]
  /** How many generated people there are besides. */
  company?: number
  /** Present: a mail server that keeps what arrives, on this port; 0: any free one. */
  mailPort?: number
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
  /** What the switches start with, and what their reset goes back to. */
  switches?: Partial<Switches>
}

type Parts = { switches: SwitchesControl; journal: Journal; listeners: Listeners }

/**
 * Starts the servers.
 * @throws Error for a host that is not a loopback address, or a port that is taken; nothing stays open then
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const switches = createSwitches(options.switches)
  const journal = createJournal()
  const listeners = await listenAll(options, { switches, journal })
  try {
    return await assemble(options, { switches, journal, listeners })
  } catch (error) {
    await closeAll(listeners)
    throw error
  }
}

async function assemble(options: SandboxOptions, parts: Parts): Promise<Sandbox> {
  const { switches, journal, listeners } = parts
  const { service, authorizationServer, externalIdp, datasource, control } = listeners
  const people = [...structuredClone(options.people ?? defaultPeople), ...company(options.company ?? 0)]
  const authorizations = createAuthorizations(people, switches)
  const rateLimit = createRateLimit(switches)
  const describe = (person: Person) => `${authorizations.waiting(person).length} to connect`
  const shared = { ...options, people, switches, describe }
  const own = await createIdentityProvider({
    ...shared,
    issuer: authorizationServer.url,
    site: 'Sign in to the service',
    cookiePrefix: 'sandbox_as',
  })
  const external = await createIdentityProvider({
    ...shared,
    issuer: externalIdp.url,
    site: 'Acme identity provider',
    cookiePrefix: 'sandbox_idp',
  })
  const callers = createCallers({
    people,
    switches,
    ownToken: own.personOf,
    externalToken: external.personOf,
  })
  const consents = createConsents(authorizations, switches, `${service.url}/`)
  authorizationServer.serve(own)
  externalIdp.serve(external)
  service.serve(
    createService({
      authorizations,
      callers,
      consents,
      switches,
      rateLimit,
      datasourceOrigin: datasource.url,
      schedulePage: `${control.url}/#deprecations`,
    }),
  )
  datasource.serve(createDatasource({ people, consents, switches, serviceUrl: service.url }))
  const mail = options.mailPort === undefined ? undefined : await startMailCatcher(options.mailPort, options)
  const sandbox: Sandbox = {
    urls: urlsOf(listeners),
    people,
    serviceTokens: callers.tokens,
    switches,
    requests: journal.entries,
    rate: rateLimit.counts,
    mail,
    count: journal.count,
    clearRequests: journal.clear,
    authorize: authorizations.authorize,
    unauthorize: authorizations.unauthorize,
    state: authorizations.state,
    ...atBoth([own, external]),
    reset() {
      for (const part of [switches, authorizations]) part.reset()
      for (const part of [journal, rateLimit, mail]) part?.clear()
    },
    async close() {
      await closeAll(listeners)
      await mail?.close()
    },
  }
  control.serve(createControl(sandbox))
  return sandbox
}

/** What the sandbox does at both of its authorization servers. */
function atBoth(providers: IdentityProvider[]) {
  return {
    expireTokens: () => providers.forEach((provider) => provider.expireTokens()),
    rotateKeys: async () => void (await Promise.all(providers.map((provider) => provider.rotateKeys()))),
    addClient: (client: SandboxClient) => providers.forEach((provider) => provider.addClient(client)),
    removeClient: (clientId: string) => providers.forEach((provider) => provider.removeClient(clientId)),
    async endSessions(personId?: string) {
      const ended = await Promise.all(providers.map((provider) => provider.endSessions(personId)))
      return ended.reduce((sum, count) => sum + count, 0)
    },
    logouts: () => providers.flatMap((provider) => provider.logouts),
  }
}

function urlsOf(listeners: Listeners): Sandbox['urls'] {
  const urls = Object.entries(listeners).map(([name, { url }]) => [name, url])
  return Object.fromEntries(urls) as Sandbox['urls']
}

async function closeAll(listeners: Listeners): Promise<void> {
  await Promise.all(Object.values(listeners).map((listener) => listener.close()))
}
