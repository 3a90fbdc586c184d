// Runs a command within this process, and returns its output and exit code.
import { main } from '../../src/cli/main.ts'

export type Ran = { exit: number; out: string; err: string }

export type Terminal = { isTTY?: boolean; columns?: number; now?: () => number; input?: string | Uint8Array }

export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { now = Date.now, input, ...terminal }: Terminal = {},
): Promise<Ran> {
  const written = { out: '', err: '' }
  const into = (name: 'out' | 'err') => ({
    ...terminal,
    write(text: string | Uint8Array) {
      written[name] += String(text)
      return true
    },
  })
  async function* bytes() {
    if (input !== undefined) yield await Promise.resolve(Buffer.from(input))
  }
  const stdin = Object.assign(bytes(), { isTTY: input === undefined })
  const exit = await main(args, { stdin, stdout: into('out'), stderr: into('err'), env, now })
  return { exit, ...written }
}
