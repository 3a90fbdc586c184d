// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses. They keep everything in memory, until they stop.
import { createControl, type AtBoth, type Sandbox } from './control.ts'
import { createAuthorizations } from './datasource/authorizations.ts'
import { createConsents, createDatasource } from './datasource/consents.ts'
import { listen } from './http-server.ts'
import { createJournal, type ServerName } from './journal.ts'
import { startMailCatcher } from './mail.ts'
import { company, defaultPeople, findPerson, type Person } from './people.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type SandboxClient,
} from './provider/identity-provider.ts'
import { createCallers, createRateLimit } from './service/admission.ts'
import { createService } from './service/service.ts'
import { createSwitches, type Switches } from './switches.ts'

export type { Sandbox }

export type SandboxOptions = {
  /** In a container: what every server listens on instead of its host, for example 0.0.0.0. */
  bind?: string | undefined
  /** Of servers that are not at 127.0.0.1. */
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
  try {
    return await start(options, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function start(options: SandboxOptions, opened: AsyncDisposableStack): Promise<Sandbox> {
  const { mailPort, bind, hosts, addresses, ports, basePath = '', issuerPaths } = options
  const switches = createSwitches(options.switches)
  const journal = createJournal()
  const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
  if (mail) opened.defer(mail.close)
  const mounts: Partial<Record<ServerName, string>> = { service: basePath, ...issuerPaths }
  const open = async (name: ServerName) => {
    const host = hosts?.[name] ?? '127.0.0.1'
    const place = {
      host,
      bind,
      address: addresses?.[name],
      port: ports?.[name] ?? 0,
      mount: mounts[name] ?? '',
    }
    const listener = await listen({ name, ...place }, journal, switches)
    opened.defer(listener.close)
    return listener
  }
  const service = await open('service')
  const authorizationServer = await open('authorizationServer')
  const externalIdp = await open('externalIdp')
  const datasource = await open('datasource')
  const control = await open('control')

  const people = [...structuredClone(options.people ?? defaultPeople), ...company(options.company ?? 0)]
  const authorizations = createAuthorizations(people, switches)
  const consents = createConsents(authorizations, switches, service.url)
  const rateLimit = createRateLimit(switches)
  const describe = (person: Person) => `${authorizations.waiting(person).length} to connect`
  const identity = (issuer: string, site: string, cookiePrefix: string) =>
    createIdentityProvider({ ...options, issuer, site, cookiePrefix, people, switches, describe })
  const own = await identity(authorizationServer.url, 'Sign in to the service', 'sandbox_as')
  const external = await identity(externalIdp.url, 'Acme identity provider', 'sandbox_idp')
  const headerPrefix = options.headerPrefix ?? 'X-Service'
  const { personOf } = own
  const callers = createCallers({
    people,
    switches,
    own: personOf,
    external: external.personOf,
    headerPrefix,
  })
  const sandbox: Sandbox = {
    ...atBoth([own, external]),
    urls: {
      service: service.url,
      authorizationServer: authorizationServer.url,
      externalIdp: externalIdp.url,
      datasource: datasource.url,
      control: control.url,
    },
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
    state: (personId) => authorizations.state(findPerson(people, personId)),
    reset() {
      for (const part of [switches, authorizations]) part.reset()
      for (const part of [journal, rateLimit, mail]) part?.clear()
    },
    close: () => opened.disposeAsync(),
  }
  const api = {
    authorizations,
    callers,
    switches,
    rateLimit,
    schedulePage: `${control.url}/#deprecations`,
  }
  service.serve(createService(api, consents, datasource.url))
  authorizationServer.serve(own)
  externalIdp.serve(external)
  datasource.serve(createDatasource(people, consents))
  control.serve(createControl(sandbox, authorizations))
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
