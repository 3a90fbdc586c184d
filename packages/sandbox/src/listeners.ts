// The five ports of the sandbox, opened together or not at all.
import { listen, type Behaviour, type ListenerOptions } from './http-server.ts'
import { serverNames, type ServerName } from './journal.ts'

export type ListenersOptions = {
  host?: string
  bind?: string
  hosts?: Partial<Record<ServerName, string>>
  ports?: Partial<Record<ServerName, number>>
  basePath?: string
  issuerPaths?: Partial<Record<'authorizationServer' | 'externalIdp', string>>
}

export type Listeners = {
  /** Addresses without a trailing slash, with the path that the server is mounted under. */
  urls: Record<ServerName, string>
  serve: Record<ServerName, (behaviour: Behaviour) => void>
  close: () => Promise<void>
}

/**
 * Opens all five ports.
 * @throws Error of the first one that cannot be opened, after closing the others; Error for a path like `a/`
 */
export async function listenAll(
  options: ListenersOptions,
  shared: Required<Pick<ListenerOptions, 'switches' | 'journal'>>,
): Promise<Listeners> {
  for (const name of serverNames) refuseCrookedPath(mountOf(options, name))
  const opened = await Promise.allSettled(
    serverNames.map((name) => listen(listenerOptions(options, name, shared))),
  )
  const listeners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const close = async () => void (await Promise.all(listeners.map((listener) => listener.close())))
  const failed = opened.find((result) => result.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  const of = (name: ServerName) => {
    const listener = listeners[serverNames.indexOf(name)]
    if (!listener) throw new Error(`The server ${name} has not been started`)
    return listener
  }
  return {
    urls: forEachServer((name) => `${of(name).origin}${mountOf(options, name)}`),
    serve: forEachServer((name) => of(name).serve),
    close,
  }
}

/** The path that a server is mounted under, '' for none. */
export function mountOf({ basePath = '', issuerPaths }: ListenersOptions, name: ServerName): string {
  if (name === 'service') return basePath
  return name === 'authorizationServer' || name === 'externalIdp' ? (issuerPaths?.[name] ?? '') : ''
}

function refuseCrookedPath(path: string): void {
  if (path !== '' && !/^(\/[\w.~-]+)+$/.test(path))
    throw new Error(`A path begins with / and does not end with one: ${path}`)
}

function listenerOptions(
  options: ListenersOptions,
  name: ServerName,
  { switches, journal }: Required<Pick<ListenerOptions, 'switches' | 'journal'>>,
): ListenerOptions {
  const host = options.hosts?.[name] ?? options.host ?? '127.0.0.1'
  const port = options.ports?.[name] ?? 0
  const listener = { name, host, bind: options.bind, port, mount: mountOf(options, name), switches }
  return name === 'control' ? listener : { ...listener, journal }
}

function forEachServer<T>(make: (name: ServerName) => T): Record<ServerName, T> {
  return {
    service: make('service'),
    authorizationServer: make('authorizationServer'),
    externalIdp: make('externalIdp'),
    datasource: make('datasource'),
    control: make('control'),
  }
}
