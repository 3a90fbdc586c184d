// The streams, clock and environment of a command. Only data goes to stdout, so that it can be piped.

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }

export type CommandContext = {
  stdout: Output
  stderr: Output
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean }
  /** Milliseconds since 1970. */
  now: () => number
  env: Record<string, string | undefined>
}
