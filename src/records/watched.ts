// A store whose operations are counted and traced: what takes long on a page is mostly here or at the service. Keys and
// values are for no one's eyes.
import { inSpan } from '../trace/spans.ts'

/** Told of every operation. Must not throw. */
export type OnOperation = (operation: { operation: string; isDone: boolean; seconds: number }) => void

type Watch = { system: 'redis' | 'sqlite'; tell: OnOperation | undefined }

/** @param names its operations, each of which returns a promise; everything else stays as it is */
export function watched<T extends object>(
  store: T,
  names: readonly (keyof T & string)[],
  { system, tell }: Watch,
): T {
  const result = Object.create(store) as T
  for (const operation of names) {
    const operate = (store[operation] as (...given: unknown[]) => Promise<unknown>).bind(store)
    const attributes = { 'db.system.name': system, 'db.operation.name': operation }
    const watchedOne = async (...given: unknown[]) => {
      const began = performance.now()
      let isDone = false
      try {
        const answer = await inSpan(`${operation} ${system}`, attributes, () => operate(...given))
        isDone = true
        return answer
      } finally {
        tell?.({ operation, isDone, seconds: (performance.now() - began) / 1000 })
      }
    }
    Object.assign(result, { [operation]: watchedOne })
  }
  return result
}
