// onramp sandbox: the stand-in for the service, until Ctrl-C.
import { runSandbox } from '@onramp/sandbox'
import { readArguments } from '@onramp/deprecations/command-line/arguments'
import type { Run } from '@onramp/deprecations/command-line/parts'
import { untilSignal } from '../signals.ts'

export const run: Run = async (args, { env, stderr }) => {
  readArguments(args, {}, 0)
  const sandbox = await runSandbox(env).catch((error: unknown) => {
    stderr.write(`onramp sandbox: ${error instanceof Error ? error.message : "couldn't start"}\n`)
    return undefined
  })
  if (sandbox === undefined) return 1
  await untilSignal()
  await sandbox.close()
  return 0
}
