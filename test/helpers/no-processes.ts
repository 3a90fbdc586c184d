// Fails a fast test that starts a process, or a server other than supertest's own. Such a test is a journey, by its file's name
// (docs/testing.md).
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { Server } from 'node:net'

const refuse = (what: string) => (): never => {
  throw new Error(`a fast test starts ${what}: name its file .journey.test.ts`)
}

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
  Object.assign(childProcess, { [name]: refuse('a process') })
syncBuiltinESMExports()

// Only once, because the files of a worker share its built-in modules.
const GUARD = 'refuseServers'
if (Server.prototype.listen.name !== GUARD) {
  const listen = Reflect.get(Server.prototype, 'listen') as (this: Server, ...args: unknown[]) => Server
  const guarded = function (this: Server, ...args: unknown[]) {
    // Its arguments aren't distinctive: tests that start servers also listen on any port.
    if (!new Error().stack?.includes('/node_modules/supertest/')) refuse('a server')()
    return Reflect.apply(listen, this, args)
  }
  Server.prototype.listen = Object.defineProperty(guarded, 'name', { value: GUARD })
}
