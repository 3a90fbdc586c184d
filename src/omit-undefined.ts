// What is known of some optional members. Under exactOptionalPropertyTypes a member that may be left out may not be
// undefined, so the undefined ones are left out: `{ state, ...omitUndefined({ code, cause }) }`.

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** @returns the members that are not undefined */
export const omitUndefined = <T extends object>(members: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>
