// What is behind the servers of a sandbox: people, their authorizations, two authorization servers and the service.
import { createJournal, type ServerName } from './journal.ts'
import type { startMailCatcher } from './mail.ts'
import { generatePeople, defaultPeople, type Person } from './people.ts'
import { createIdentityProvider, type SandboxClient } from './provider/identity-provider.ts'
import { createAuthorizations } from './service/authorizations.ts'
import { createAuthentication } from './service/authentication.ts'
import { createService } from './service/service.ts'
import { createSwitches, type Switches } from './switches.ts'

export type BackendOptions = {
  /** What the service's own headers begin with; `X-Service` by default. */
  headerPrefix?: string
  /** Clients that both authorization servers know from the start. */
  clients?: SandboxClient[]
  people?: Person[]
  /** How many generated people there are besides. */
  company?: number
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
  /** What the switches start with, and what their reset goes back to. */
  switches?: Partial<Switches>
}

type Urls = Record<ServerName, string>
type Mail = Awaited<ReturnType<typeof startMailCatcher>>

/** What can be asked of a sandbox and changed in it. */
export type SandboxBackend = Awaited<ReturnType<typeof createBackend>>['world']

/**
 * Creates everything, and what its servers answer with.
 * @param urls without a trailing slash; the service's has its base path, the issuers theirs
 */
export async function createBackend(options: BackendOptions, urls: Urls, mail: Mail | undefined) {
  const switches = createSwitches(options.switches)
  const journal = createJournal()
  const people = [
    ...structuredClone(options.people ?? defaultPeople),
    ...generatePeople(options.company ?? 0),
  ]
  const authorizations = createAuthorizations(people, switches, urls)
  const describe = (person: Person) => `${authorizations.unauthorized(person).length} to connect`
  const identity = (issuer: string, site: string) =>
    createIdentityProvider({ ...options, issuer, site, people, switches, describe }, options.clients)
  const own = await identity(urls.authorizationServer, 'Sign in to the service')
  const external = await identity(urls.externalIdp, 'Acme identity provider')
  const both = [own, external]
  const callers = createAuthentication(people, switches, [own, external], options.headerPrefix)
  const service = createService({ authorizations, callers, switches, control: urls.control })
  const world = {
    urls,
    people,
    serviceTokens: callers.tokens,
    switches,
    mail,
    requests: journal.entries,
    count: journal.count,
    clearRequests: journal.clear,
    /** How well callers kept to the limit of the switch rateLimit. */
    rate: callers.limit.counts,
    authorize: authorizations.authorize,
    unauthorize: authorizations.unauthorize,
    state: authorizations.state,
    /** At both authorization servers: every access token expires now; refresh tokens live on. */
    expireTokens: () => both.forEach((one) => one.expireTokens()),
    /** At both: new signing keys; the old ones are gone. */
    rotateKeys: async () => void (await Promise.all(both.map((one) => one.rotateKeys()))),
    addClient: (client: SandboxClient) => both.forEach((one) => one.addClient(client)),
    /** At both: ends the sessions of one person, or of all, with back-channel logout. */
    endSessions: async (personId?: string) =>
      void (await Promise.all(both.map((one) => one.endSessions(personId)))),
    /** The logout tokens that clients were sent, oldest first, and what they answered. */
    logouts: () => both.flatMap((one) => one.logouts),
    /** Puts switches, authorizations, the journal and the mail back to how they were at the start. */
    reset(): void {
      for (const part of [switches, authorizations]) part.reset()
      for (const part of [journal, callers.limit, mail]) part?.clear()
    },
  }
  const datasource = authorizations.site
  const behaviours = { service, authorizationServer: own, externalIdp: external, datasource }
  return { world, journal, behaviours }
}
