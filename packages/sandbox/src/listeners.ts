// The five ports of the sandbox, opened together or not at all.
import type { SwitchesControl } from './control/switches.ts'
import { listen, type Listener } from './http-server.ts'
import { serverNames, type Journal, type ServerName } from './journal.ts'

export type ListenersOptions = {
  /** Host of every server that `hosts` does not name; 127.0.0.1 by default. */
  host?: string
  /** In a container: what every server listens on instead of its host, for example 0.0.0.0. */
  bind?: string | undefined
  hosts?: Partial<Record<ServerName, string>>
  /** Absent or 0: any free port. */
  ports?: Partial<Record<ServerName, number>>
  /** Prefix of every path of the service, for example `/tenant/a`. */
  basePath?: string
  /** Paths of the issuers, for example `/oauth2/default`. */
  issuerPaths?: Partial<Record<'authorizationServer' | 'externalIdp', string>>
}

export type Listeners = Record<ServerName, Listener>

/**
 * Opens all five ports.
 * @throws Error of the first one that cannot be opened, after closing the others; Error for a path like `a/`
 */
export async function listenAll(
  { host = '127.0.0.1', bind, hosts, ports, basePath = '', issuerPaths }: ListenersOptions,
  shared: { switches: SwitchesControl; journal: Journal },
): Promise<Listeners> {
  const mounts: Partial<Record<ServerName, string>> = { service: basePath, ...issuerPaths }
  for (const path of Object.values(mounts)) refuseMalformed(path)
  const opened = await Promise.allSettled(
    serverNames.map(async (name) => {
      const own = { name, host: hosts?.[name] ?? host, port: ports?.[name] ?? 0, mount: mounts[name] ?? '' }
      return [name, await listen({ ...own, bind, ...shared })] as const
    }),
  )
  const listeners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = opened.find((result) => result.status === 'rejected')
  if (failed) {
    await Promise.all(listeners.map(([, listener]) => listener.close()))
    throw failed.reason
  }
  return Object.fromEntries(listeners) as Listeners
}

function refuseMalformed(path: string): void {
  if (path !== '' && !/^(\/[\w.~-]+)+$/.test(path))
    throw new Error(`A path begins with / and does not end with one: ${path}`)
}
