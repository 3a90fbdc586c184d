// The parts of the service that a walk needs: apps of each person, one-time paths, and late consents. Only the network
// to it fails.
import { randomUUID } from 'node:crypto'
import { current } from './machine.ts'

export const SERVICE = 'https://search.example'

type App = {
  instance: string
  /** It consents without a page. */
  isSilent: boolean
  /** When the consent shows; undefined without a consent. */
  connectedFrom?: number | undefined
  /** It was once off the list. */
  wasConnected: boolean
}

export type Person = { subject: string; name: string; email: string; apps: App[] }

type Path = { person: Person; app: App; back: string; isVoid: boolean }
export type Reply = { status: number; body: unknown }

export class Service {
  readonly people: readonly Person[]
  readonly #paths = new Map<string, Path>()
  /** True if a new check voids the paths of the one before. */
  readonly voidsPaths: boolean

  constructor(people: readonly Person[], voidsPaths: boolean) {
    this.people = people
    this.voidsPaths = voidsPaths
  }

  isListed = ({ connectedFrom }: App): boolean => connectedFrom === undefined || connectedFrom > current().now

  /** The response of checkdatasourceauth. @param back absent: final_redirect_url was not sent */
  check(person: Person, back: string | undefined): Reply {
    if (this.voidsPaths)
      for (const path of this.#paths.values()) if (path.person === person) path.isVoid = true
    for (const app of person.apps) if (!this.isListed(app)) app.wasConnected = true
    const entries = person.apps.filter(this.isListed).map((app) => {
      const token = randomUUID()
      if (back !== undefined) this.#paths.set(token, { person, app, back, isVoid: false })
      return {
        datasourceInstance: app.instance,
        displayName: app.instance,
        authStatus: 'NOT_AUTHORIZED',
        authUrlRelativePath: `/auth/datasource/${app.instance}?token=${token}`,
      }
    })
    return { status: 200, body: { unauthorizedDatasourceInstances: entries } }
  }

  /** The browser follows a consent URL. @returns undefined if the path is void or was followed before */
  follow(url: string): Path | undefined {
    const path = this.#pathIn(url)
    if (path === undefined || path.isVoid) return undefined
    path.isVoid = true
    return path
  }

  #pathIn = (url: string) => this.#paths.get(new URL(url).searchParams.get('token') ?? '')

  /** The app of a consent URL, and the step that it brings back. */
  pathOf(url: string): { app: App; step: string } | undefined {
    const path = this.#pathIn(url)
    return path && { app: path.app, step: new URL(path.back).searchParams.get('step') ?? '' }
  }

  consent(app: App, delay: number): void {
    app.connectedFrom = Math.min(app.connectedFrom ?? Infinity, current().now + delay)
  }
}
