// What every command gets: data goes to stdout, talk to stderr.
export type CliParts = {
  stdin: NodeJS.ReadableStream
  stdout: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number }
  stderr: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number }
  env: NodeJS.ProcessEnv
  /** Milliseconds since 1970. */
  now: () => number
}

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage, more where the command's help names them */
export type Run = (args: string[], parts: CliParts) => Promise<number>
