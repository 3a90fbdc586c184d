// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses. They keep everything in memory, until they stop.
import { createControl } from './control.ts'
import { listen, type ServerAddresses } from './http-server.ts'
import { serverNames, type ServerName } from './journal.ts'
import { startMailCatcher } from './mail.ts'
import { createBackend, type SandboxBackend, type BackendOptions } from './backend.ts'

export type SandboxOptions = ServerAddresses &
  BackendOptions & {
    /** Present: a mail server that keeps what arrives, on this port; 0: any free one. */
    mailPort?: number
  }

/** A running sandbox: what tests and the command line can ask of it and change. */
export type Sandbox = SandboxBackend & { close: () => Promise<void> }

/**
 * Starts the servers.
 * @throws Error for a host that is not a loopback address, a path like `a/`, or a port that is taken; nothing stays open
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await using opening = new AsyncDisposableStack()
  const { mailPort, bind } = options
  const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
  if (mail) opening.defer(mail.close)
  const servers: [ServerName, Awaited<ReturnType<typeof listen>>][] = []
  for (const name of serverNames) {
    const server = await listen(name, options)
    opening.defer(server.close)
    servers.push([name, server])
  }
  const urls = Object.fromEntries(servers.map(([name, { url }]) => [name, url])) as SandboxBackend['urls']
  const { world, journal, behaviours } = await createBackend(options, urls, mail)
  const all = { ...behaviours, control: createControl(world) }
  for (const [name, server] of servers) server.serve(all[name], journal, world.switches)
  const opened = opening.move()
  return { ...world, close: () => opened.disposeAsync() }
}
