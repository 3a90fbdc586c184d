// Fails a fast test that starts a process. Such a test is a journey, by its file's name (docs/testing.md).
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const refuse = (): never => {
  throw new Error('a fast test starts a process: name its file .journey.test.ts')
}

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
  Object.assign(childProcess, { [name]: refuse })
syncBuiltinESMExports()
