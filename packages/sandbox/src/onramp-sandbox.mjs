#!/usr/bin/env node
// Runs the sandbox alone, until Ctrl-C. README.md explains SANDBOX_PORT, SANDBOX_COMPANY and SANDBOX_BIND. An older
// Node can read this file, but not the files that it runs.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

const endWith = (words) => {
  process.stderr.write(`onramp-sandbox${words}\n`)
  process.exit(1)
}

if (major < 24 || (major === 24 && minor < 3))
  endWith(
    ` needs Node 24.3 or newer; this is Node ${process.versions.node}. Install a newer one: https://nodejs.org`,
  )

const { runSandbox } = await import('./sandbox.ts')
const sandbox = await runSandbox(process.env).catch((error) =>
  endWith(`: ${error instanceof Error ? error.message : "couldn't start"}`),
)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.close())
