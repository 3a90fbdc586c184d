// The state behind a sandbox's servers: people and their authorizations, two authorization servers and the service.
import type { listen } from './http-server.ts'
import { Journal, type ServerName } from './journal.ts'
import type { startMailCatcher } from './mail.ts'
import { defaultPeople, generatePeople, type Person } from './people.ts'
import { IdentityProvider, type SandboxClient } from './provider/identity-provider.ts'
import { createAuthentication, createRateLimit } from './service/authentication.ts'
import { Authorizations } from './service/authorizations.ts'
import { createService } from './service/service.ts'
import { SwitchesControl, type Switches } from './switches.ts'

export type SandboxOptions = Parameters<typeof listen>[1] & {
  /** If set, a mail server starts on this port; 0 is any free port. */
  mailPort?: number
  /** Prefix of the service's own headers; default `X-Service`. */
  headerPrefix?: string
  /** Clients that both authorization servers know from the start. */
  clients?: SandboxClient[]
  people?: Person[]
  /** The number of additional, generated people. */
  company?: number
  /** Initial switches, which `reset` restores. */
  switches?: Partial<Switches>
}

/** A running sandbox, as tests and the control panel use it. */
export type Sandbox = ReturnType<typeof createBackend>

type Running = {
  /** Without a trailing slash. */
  urls: Record<ServerName, string>
  mail: Awaited<ReturnType<typeof startMailCatcher>> | undefined
  close: () => Promise<void>
}

export function createBackend(options: SandboxOptions, running: Running) {
  const { urls, mail } = running
  const journal = new Journal()
  const people = [...structuredClone(options.people ?? defaultPeople), ...generatePeople(options.company)]
  const switches = new SwitchesControl(options.switches)
  const authorizations = new Authorizations(people, switches, urls)
  const describe = (person: Person) => `${authorizations.unauthorized(person).length} to connect`
  const provider = (issuer: string, site: string) =>
    new IdentityProvider({ issuer, site, people, switches, describe }, options.clients)
  const authorizationServer = provider(urls.authorizationServer, 'Sign in to the service')
  const externalIdp = provider(urls.externalIdp, 'Acme identity provider')
  const providers = [authorizationServer, externalIdp] as const
  const authentication = createAuthentication(people, switches, providers, options.headerPrefix)
  const limit = createRateLimit(switches)
  const service = createService({ authorizations, authentication, limit, switches, control: urls.control })
  return {
    ...running,
    people,
    switches,
    journal,
    /** The handlers of all servers but the control panel. */
    handlers: { service, authorizationServer, externalIdp, datasource: authorizations.consentSite },
    serviceTokens: authentication.tokens,
    requests: journal.entries,
    count: (operation: string) => journal.count(operation),
    clearRequests: () => journal.clear(),
    /** Counts of refused calls (switch `rateLimit`). */
    rate: () => limit.counts(),
    authorize: (personId: string, instance: string) => authorizations.authorize(personId, instance),
    unauthorize: (personId: string, instance: string) => authorizations.unauthorize(personId, instance),
    state: (personId: string) => authorizations.state(personId),
    /** Expires access tokens; refresh tokens stay valid. */
    expireTokens: () => providers.forEach(({ store }) => store.expireTokens()),
    rotateKeys: async () => void (await Promise.all(providers.map((idp) => idp.rotateKeys()))),
    addClient: (client: SandboxClient) => providers.forEach((idp) => idp.addClient(client)),
    /** Ends the sessions of one person or of all, with back-channel logout. */
    endSessions: async (personId?: string) =>
      void (await Promise.all(providers.map((idp) => idp.endSessions(personId)))),
    /** Clients' responses to logout tokens, oldest first. */
    logouts: () => providers.flatMap(({ store }) => store.logouts),
    reset: () => {
      for (const part of [switches, authorizations]) part.reset()
      for (const part of [journal, limit, mail]) part?.clear()
    },
  }
}
