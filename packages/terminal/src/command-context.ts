// What every command is given. Data goes to stdout and talk to stderr, so that a pipe gets nothing but data.

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }
export type Input = AsyncIterable<Uint8Array> & { isTTY?: boolean }

export type CommandContext = {
  stdout: Output
  stderr: Output
  stdin: Input
  /** Milliseconds since 1970. */
  now: () => number
  env: Record<string, string | undefined>
}
