// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses. They keep everything in memory, until they stop.
import { createControl } from './control.ts'
import { listen, type Places } from './http-server.ts'
import { createJournal, serverNames, type ServerName } from './journal.ts'
import { startMailCatcher } from './mail.ts'
import { createSwitches } from './switches.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export type SandboxOptions = Places &
  WorldOptions & {
    /** Present: a mail server that keeps what arrives, on this port; 0: any free one. */
    mailPort?: number
  }

/** A running sandbox: what tests and the command line can ask of it and change. */
export type Sandbox = World & { close: () => Promise<void> }

/**
 * Starts the servers.
 * @throws Error for a host that is not a loopback address, a path like `a/`, or a port that is taken; nothing stays open
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await using opening = new AsyncDisposableStack()
  const switches = createSwitches(options.switches)
  const journal = createJournal()
  const { mailPort, bind } = options
  const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
  if (mail) opening.defer(mail.close)
  const servers: Partial<Record<ServerName, Awaited<ReturnType<typeof listen>>>> = {}
  for (const name of serverNames) {
    servers[name] = await listen(name, options, journal, switches)
    opening.defer(servers[name].close)
  }
  const urls = Object.fromEntries(serverNames.map((name) => [name, servers[name]?.url ?? '']))
  const { world, behaviours } = await createWorld(options, {
    urls: urls as World['urls'],
    switches,
    journal,
    mail,
  })
  for (const name of serverNames)
    servers[name]?.serve(name === 'control' ? createControl(world) : behaviours[name])
  const opened = opening.move()
  return { ...world, close: () => opened.disposeAsync() }
}
