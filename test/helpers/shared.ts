// A resource that all tests of a file or of a `describe` share: opened before them, closed after them.
import { afterAll, beforeAll } from 'vitest'

/** @param open called before the first test @returns a proxy of the opened resource, for hooks and tests */
export function shared<T extends { close(): unknown }>(open: () => Promise<T>): T {
  let openedValue: T | undefined
  beforeAll(async () => {
    openedValue = await open()
  })
  afterAll(async () => {
    await openedValue?.close()
  })
  return new Proxy({} as T, {
    get(_, name) {
      if (openedValue === undefined) throw new Error('it is opened before the first test, and not earlier')
      const member: unknown = Reflect.get(openedValue, name)
      return typeof member === 'function' ? (member.bind(openedValue) as unknown) : member
    },
  })
}
