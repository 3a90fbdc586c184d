// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers on loopback addresses; everything they know is in memory and gone when they stop.
import { createAuthorizations, findPerson, type Authorizations } from './provider/authorizations.ts'
import { createCallers, type Callers, type UserToken } from './service/callers.ts'
import { createControl } from './control/control.ts'
import { createDatasourceFlow } from './datasource/flow.ts'
import { createDatasource } from './datasource/datasource.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type SandboxClient,
} from './provider/identity-provider.ts'
import { createJournal, type Journal, type ServerName } from './journal.ts'
import { listenAll, mountOf, type Listeners } from './listeners.ts'
import { startMailCatcher, type MailCatcher } from './mail.ts'
import { company, defaultPeople, type Person } from './people.ts'
import type { Sandbox } from './running.ts'
import { createRateLimit, type RateLimit } from './service/rate-limit.ts'
import { createService } from './service/service.ts'
import { createSwitches, type Switches, type SwitchesControl } from './control/switches.ts'

export type { Sandbox }

export type SandboxOptions = {
  /** Host of every server that `hosts` does not name; 127.0.0.1 by default. */
  host?: string
  /** What every server listens on instead of its host, by which it is still known. In a container: 0.0.0.0. */
  bind?: string
  hosts?: Partial<Record<ServerName, string>>
  /** Absent or 0: any free port. */
  ports?: Partial<Record<ServerName, number>>
  /** Prefix of every path of the service, for example `/tenant/a`. */
  basePath?: string
  /** Paths of the issuers, for example `/oauth2/default`. */
  issuerPaths?: Partial<Record<'authorizationServer' | 'externalIdp', string>>
  /** Clients that both authorization servers know from the start. */
  clients?: SandboxClient[]
  people?: Person[]
  /** So many generated people besides. */
  company?: number
  /** Present: a mail server that keeps what arrives, on this port; 0: any free one. */
  mailPort?: number
  userTokens?: UserToken[]
  globalToken?: string
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
  /** What the switches start with, and what their reset goes back to. */
  switches?: Partial<Switches>
}

type Parts = {
  people: Person[]
  switches: SwitchesControl
  journal: Journal
  listeners: Listeners
  rateLimit: RateLimit
}

/**
 * Starts the five servers.
 * @throws Error for a host that is not a loopback address, or a port that is taken; nothing stays open then
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const switches = createSwitches(options.switches)
  const people = [...structuredClone(options.people ?? defaultPeople), ...company(options.company ?? 0)]
  const journal = createJournal()
  const rateLimit = createRateLimit(switches)
  const parts = {
    people,
    switches,
    journal,
    rateLimit,
    listeners: await listenAll(options, { switches, journal }),
  }
  try {
    const mail =
      options.mailPort === undefined
        ? undefined
        : await startMailCatcher(options.mailPort, { bind: options.bind })
    const sandbox = handleOf(parts, await serveAll(options, parts), mail)
    parts.listeners.serve.control(createControl(sandbox))
    return sandbox
  } catch (error) {
    await parts.listeners.close()
    throw error
  }
}

type Served = { authorizations: Authorizations; callers: Callers; providers: IdentityProvider[] }

async function serveAll(
  options: SandboxOptions,
  { people, switches, listeners, rateLimit }: Parts,
): Promise<Served> {
  const { urls, serve } = listeners
  const authorizations = createAuthorizations(people, switches)
  const describe = (person: Person) => `${authorizations.waiting(person).length} to connect`
  const identity = { people, switches, describe, options, urls }
  const own = await startIdentity('authorizationServer', identity)
  const external = await startIdentity('externalIdp', identity)
  const callers = createCallers({
    people,
    switches,
    userTokens: options.userTokens ?? [],
    ...(options.globalToken !== undefined && { globalToken: options.globalToken }),
    ownToken: (token) => own.personOf(token),
    externalToken: (token) => external.personOf(token),
  })
  const flow = createDatasourceFlow(authorizations, switches, `${urls.service}/`)
  serve.authorizationServer(own)
  serve.externalIdp(external)
  const schedulePage = `${urls.control}/#deprecations`
  const datasourceOrigin = urls.datasource
  serve.service(
    createService({ authorizations, callers, switches, rateLimit, flow, datasourceOrigin, schedulePage }),
  )
  serve.datasource(createDatasource({ people, flow, switches, serviceUrl: urls.service }))
  return { authorizations, callers, providers: [own, external] }
}

function handleOf(
  { people, switches, journal, listeners, rateLimit }: Parts,
  served: Served,
  mail: MailCatcher | undefined,
): Sandbox {
  const { authorizations, callers, providers } = served
  const { global, user } = callers.tokens
  const { get, set, reset } = switches
  return {
    urls: listeners.urls,
    people,
    serviceTokens: { global, user: (personId, scopes) => user(findPerson(people, personId).id, scopes) },
    switches: { get, set, reset },
    requests: journal.entries,
    rate: rateLimit.counts,
    ...(mail !== undefined && { mail }),
    count: journal.count,
    clearRequests: journal.clear,
    authorize: (personId, instance) => authorizations.authorize(personId, instance),
    unauthorize: authorizations.unauthorize,
    state: authorizations.state,
    expireTokens: () => providers.forEach((provider) => provider.expireTokens()),
    rotateKeys: async () => void (await Promise.all(providers.map((provider) => provider.rotateKeys()))),
    addClient: (client) => providers.forEach((provider) => provider.addClient(client)),
    removeClient: (clientId) => providers.forEach((provider) => provider.removeClient(clientId)),
    async endSessions(personId) {
      const ended = await Promise.all(providers.map((provider) => provider.endSessions(personId)))
      return ended.reduce((sum, count) => sum + count, 0)
    },
    logouts: () => providers.flatMap((provider) => provider.logouts),
    reset() {
      switches.reset()
      authorizations.reset()
      journal.clear()
      rateLimit.clear()
      mail?.clear()
    },
    async close() {
      await listeners.close()
      await mail?.close()
    },
  }
}

type Identity = Pick<Parts, 'people' | 'switches'> & {
  describe: (person: Person) => string
  options: SandboxOptions
  urls: Record<ServerName, string>
}

async function startIdentity(
  name: 'authorizationServer' | 'externalIdp',
  identity: Identity,
): Promise<IdentityProvider> {
  const { people, switches, describe, options, urls } = identity
  const provider = await createIdentityProvider({
    issuer: urls[name],
    site: name === 'externalIdp' ? 'Acme identity provider' : 'Sign in to the service',
    cookiePrefix: name === 'externalIdp' ? 'sandbox_idp' : 'sandbox_as',
    mount: mountOf(options, name),
    people,
    switches,
    describe,
    ...(options.initialAccessToken !== undefined && { initialAccessToken: options.initialAccessToken }),
  })
  for (const client of options.clients ?? []) provider.addClient(client)
  return provider
}
