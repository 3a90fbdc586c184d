#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The sandbox alone, until Ctrl-C: SANDBOX_PORT, SANDBOX_COMPANY and SANDBOX_BIND are in README.md.
import { runSandbox } from '../src/run.ts'

const sandbox = await runSandbox(process.env).catch((error) => {
  process.stderr.write(`onramp-sandbox: ${error instanceof Error ? error.message : "couldn't start"}\n`)
  process.exit(1)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.close())
