// The sandbox: a local stand-in for the whole documented service, for development and tests.
// Five HTTP servers and a mail server on loopback addresses; everything is kept in memory.
import { createBackend, type Sandbox, type SandboxOptions } from './backend.ts'
import { createControl } from './control.ts'
import { listen } from './http-server.ts'
import { serverNames } from './journal.ts'
import { startMailCatcher } from './mail.ts'

export type { Sandbox, SandboxOptions }

/** @throws Error for an address that isn't loopback, a path like `a/` or a taken port; then nothing stays open */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await using opening = new AsyncDisposableStack()
  const { mailPort, bind } = options
  const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
  if (mail) opening.defer(mail.close)
  const servers: Awaited<ReturnType<typeof listen>>[] = []
  for (const name of serverNames) {
    const server = await listen(name, options)
    opening.defer(server.close)
    servers.push(server)
  }
  const urls = Object.fromEntries(servers.map(({ name, url }) => [name, url])) as Sandbox['urls']
  const opened = new AsyncDisposableStack()
  const sandbox = createBackend(options, { urls, mail, close: () => opened.disposeAsync() })
  // Creates the first signing keys.
  await sandbox.rotateKeys()
  const handlers = { ...sandbox.handlers, control: createControl(sandbox) }
  for (const { name, serve } of servers) serve(handlers[name], sandbox.journal, sandbox.switches)
  opened.use(opening.move())
  return sandbox
}
