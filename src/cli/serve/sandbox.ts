// onramp sandbox: the stand-in for the service, until Ctrl-C.
import { runSandbox } from '@onramp/sandbox'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { untilSignal } from '../signals.ts'

export async function sandbox({ env, stderr }: CliParts): Promise<number> {
  const service = await runSandbox(env).catch((error: unknown) => {
    stderr.write(`onramp sandbox: ${error instanceof Error ? error.message : "couldn't start"}\n`)
    return undefined
  })
  if (service === undefined) return 1
  await untilSignal()
  await service.close()
  return 0
}
