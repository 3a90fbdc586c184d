// Removes undefined members, which exactOptionalPropertyTypes forbids: `{ state, ...omitUndefined({ code }) }`.

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export const omitUndefined = <T extends object>(members: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>
