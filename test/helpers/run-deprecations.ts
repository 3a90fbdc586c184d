// Runs `onramp deprecations` as a child process, for tests that measure it or read its exit code.
import { main } from '../../src/cli/main.ts'

process.exitCode = await main(['deprecations', ...process.argv.slice(2)], {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  now: Date.now,
  env: process.env,
})
