// What a fast test may not do: start a process, or a server other than the one that supertest starts for each request.
// A test that does is a journey, and its file's name says so (docs/testing.md).
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { Server } from 'node:net'

const refuse = (what: string) => (): never => {
  throw new Error(`a fast test starts ${what}: name its file .journey.test.ts`)
}

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
  Object.assign(childProcess, { [name]: refuse('a process') })
syncBuiltinESMExports()

const listen = Reflect.get(Server.prototype, 'listen') as (this: Server, ...given: unknown[]) => Server
Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  // Arguments don't tell it apart: tests that start servers ask for any port too.
  if (!new Error().stack?.includes('/node_modules/supertest/')) refuse('a server')()
  return Reflect.apply(listen, this, given)
}
