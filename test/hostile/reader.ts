// A reader of text from outside: what it is given, and what it must not do.
import type * as fc from 'fast-check'

export type Reader = { name: string; input: fc.Arbitrary<string>; read: (text: string) => unknown }

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must not: ${what}`)
}

/** Lets the errors through that a reader documents. */
export async function refusing(
  kinds: readonly (new (...given: never[]) => Error)[],
  work: () => unknown,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!kinds.some((kind) => error instanceof kind)) throw error
  }
}
