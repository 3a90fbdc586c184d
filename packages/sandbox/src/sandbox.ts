// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses. They keep everything in memory, until they stop.
import { createControl } from './control/control.ts'
import { createSwitches, type Switches, type SwitchesControl } from './control/switches.ts'
import { createAuthorizations } from './datasource/authorizations.ts'
import { createConsents, createDatasource } from './datasource/datasource.ts'
import { listen, type Listener } from './http-server.ts'
import { createJournal, serverNames, type Journal, type ServerName } from './journal.ts'
import { startMailCatcher, type MailCatcher } from './mail.ts'
import { company, defaultPeople, type Person } from './people.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type SandboxClient,
} from './provider/identity-provider.ts'
import type { AtBoth, Sandbox } from './running.ts'
import { createCallers } from './service/callers.ts'
import { createRateLimit } from './service/rate-limit.ts'
import { createService } from './service/service.ts'

export type { Sandbox }

export type SandboxOptions = {
  /** Host of every server that `hosts` does not name; 127.0.0.1 by default. */
  host?: string
  /** In a container: what every server listens on instead of its host, for example 0.0.0.0. */
  bind?: string | undefined
  hosts?: Partial<Record<ServerName, string>>
  /** What servers are called where something in front of them ends TLS, for example `https://login.example`. */
  addresses?: Partial<Record<ServerName, string>>
  /** Absent or 0: any free port. */
  ports?: Partial<Record<ServerName, number>>
  /** Prefix of every path of the service, for example `/tenant/a`. */
  basePath?: string
  /** Paths of the issuers, for example `/oauth2/default`. */
  issuerPaths?: Partial<Record<'authorizationServer' | 'externalIdp', string>>
  /** What the service's own headers begin with; `X-Service` by default. */
  headerPrefix?: string
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

/**
 * Starts the servers.
 * @throws Error for a host that is not a loopback address, a path like `a/`, or a port that is taken; nothing stays open
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const opened = new AsyncDisposableStack()
  const close = () => opened.disposeAsync()
  const switches = createSwitches(options.switches)
  const journal = createJournal()
  const { mailPort, bind, basePath = '', issuerPaths } = options
  const mounts: Partial<Record<ServerName, string>> = { service: basePath, ...issuerPaths }
  try {
    const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
    if (mail) opened.defer(mail.close)
    const listeners = {} as Parts['listeners']
    const urls = {} as Sandbox['urls']
    for (const name of serverNames) {
      const host = options.hosts?.[name] ?? options.host ?? '127.0.0.1'
      const place = { host, bind, port: options.ports?.[name] ?? 0, mount: mounts[name] ?? '' }
      const address = options.addresses?.[name]
      listeners[name] = await listen({ name, address, ...place, switches, journal })
      opened.defer(listeners[name].close)
      urls[name] = listeners[name].url
    }
    return await assemble(options, { switches, journal, mail, listeners, urls, close })
  } catch (error) {
    await close()
    throw error
  }
}

type Parts = {
  switches: SwitchesControl
  journal: Journal
  mail: MailCatcher | undefined
  listeners: Record<ServerName, Listener>
  urls: Sandbox['urls']
  close: () => Promise<void>
}

/** Lets every server answer. */
async function assemble(options: SandboxOptions, parts: Parts): Promise<Sandbox> {
  const { switches, journal, mail, listeners, urls, close } = parts
  const { service, authorizationServer, externalIdp, datasource, control } = listeners
  const people = [...structuredClone(options.people ?? defaultPeople), ...company(options.company ?? 0)]
  const authorizations = createAuthorizations(people, switches)
  const rateLimit = createRateLimit(switches)
  const describe = (person: Person) => `${authorizations.waiting(person).length} to connect`
  const identity = (issuer: string, site: string, cookiePrefix: string) =>
    createIdentityProvider({ ...options, issuer, site, cookiePrefix, people, switches, describe })
  const own = await identity(authorizationServer.url, 'Sign in to the service', 'sandbox_as')
  const external = await identity(externalIdp.url, 'Acme identity provider', 'sandbox_idp')
  const callers = createCallers({
    people,
    switches,
    own,
    external,
    headerPrefix: options.headerPrefix ?? 'X-Service',
  })
  const consents = createConsents(authorizations, switches, `${service.url}/`)
  const sandbox: Sandbox = {
    ...atBoth([own, external]),
    urls,
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
    reset() {
      for (const part of [switches, authorizations]) part.reset()
      for (const part of [journal, rateLimit, mail]) part?.clear()
    },
    close,
  }
  authorizationServer.serve(own)
  externalIdp.serve(external)
  service.serve(createService({ authorizations, callers, consents, switches, rateLimit, urls }))
  datasource.serve(createDatasource({ people, consents, switches, serviceUrl: service.url }))
  control.serve(createControl(sandbox))
  return sandbox
}

/** What the sandbox does at both of its authorization servers. */
function atBoth(providers: IdentityProvider[]): AtBoth {
  return {
    expireTokens: () => providers.forEach((provider) => provider.expireTokens()),
    rotateKeys: async () => void (await Promise.all(providers.map((provider) => provider.rotateKeys()))),
    addClient: (client) => providers.forEach((provider) => provider.addClient(client)),
    removeClient: (clientId) => providers.forEach((provider) => provider.removeClient(clientId)),
    async endSessions(personId) {
      const ended = await Promise.all(providers.map((provider) => provider.endSessions(personId)))
      return ended.reduce((sum, count) => sum + count, 0)
    },
    logouts: () => providers.flatMap((provider) => provider.logouts()),
  }
}
