// Behind the servers of a sandbox: people and their authorizations, two authorization servers and the service.
import type { listen, RequestHandler } from './http-server.ts'
import { Journal, type ServerName } from './journal.ts'
import type { startMailCatcher } from './mail.ts'
import { defaultPeople, generatePeople, type Person } from './people.ts'
import { IdentityProvider, type SandboxClient } from './provider/identity-provider.ts'
import { Authentication, RateLimit } from './service/authentication.ts'
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
  /** Number of generated people in addition. */
  company?: number
  /** If set, dynamic registration requires it. */
  initialAccessToken?: string
  /** Initial switches, which `reset` restores. */
  switches?: Partial<Switches>
}

/** A running sandbox, as tests and the control panel use it. */
export class Sandbox {
  /** Without a trailing slash. */
  readonly urls: Record<ServerName, string>
  readonly mail: Awaited<ReturnType<typeof startMailCatcher>> | undefined
  readonly close: () => Promise<void>
  readonly people: Person[]
  readonly switches: SwitchesControl
  readonly journal = new Journal()
  private readonly authorizations: Authorizations
  private readonly authentication: Authentication
  private readonly providers: readonly [own: IdentityProvider, external: IdentityProvider]
  private readonly limit: RateLimit

  constructor(options: SandboxOptions, { urls, mail, close }: Pick<Sandbox, 'urls' | 'mail' | 'close'>) {
    this.urls = urls
    this.mail = mail
    this.close = close
    const people = [...structuredClone(options.people ?? defaultPeople), ...generatePeople(options.company)]
    const switches = new SwitchesControl(options.switches)
    const authorizations = new Authorizations(people, switches, urls)
    const describe = (person: Person) => `${authorizations.unauthorized(person).length} to connect`
    const provider = (issuer: string, site: string) =>
      new IdentityProvider({ ...options, issuer, site, people, switches, describe }, options.clients)
    const own = provider(urls.authorizationServer, 'Sign in to the service')
    const external = provider(urls.externalIdp, 'Acme identity provider')
    this.people = people
    this.switches = switches
    this.authorizations = authorizations
    this.providers = [own, external]
    this.authentication = new Authentication(people, switches, this.providers, options.headerPrefix)
    this.limit = new RateLimit(switches)
  }

  /** What the servers respond with, except for the control panel. */
  get handlers(): Record<Exclude<ServerName, 'control'>, RequestHandler> {
    const { authorizations, authentication, limit, switches } = this
    const [authorizationServer, externalIdp] = this.providers
    const { control } = this.urls
    return {
      service: createService({ authorizations, authentication, limit, switches, control }),
      authorizationServer,
      externalIdp,
      datasource: authorizations.consentSite,
    }
  }

  get serviceTokens() {
    return this.authentication.tokens
  }

  get requests() {
    return this.journal.entries
  }

  count = (operation: string) => this.journal.count(operation)
  clearRequests = () => this.journal.clear()
  /** How well callers kept to the switch `rateLimit`. */
  rate = () => this.limit.counts()
  authorize = (personId: string, instance: string) => this.authorizations.authorize(personId, instance)
  unauthorize = (personId: string, instance: string) => this.authorizations.unauthorize(personId, instance)
  state = (personId: string) => this.authorizations.state(personId)
  /** Refresh tokens stay valid. */
  expireTokens = () => this.providers.forEach((provider) => provider.expireTokens())
  rotateKeys = async () => void (await Promise.all(this.providers.map((provider) => provider.rotateKeys())))
  addClient = (client: SandboxClient) => this.providers.forEach((provider) => provider.addClient(client))
  /** Ends the sessions of one person or of all, with back-channel logout. */
  endSessions = async (personId?: string) =>
    void (await Promise.all(this.providers.map((provider) => provider.endSessions(personId))))
  /** Logout tokens that were sent to clients, oldest first, and their responses. */
  logouts = () => this.providers.flatMap((provider) => provider.logouts)

  reset(): void {
    for (const part of [this.switches, this.authorizations]) part.reset()
    for (const part of [this.journal, this.limit, this.mail]) part?.clear()
  }
}
