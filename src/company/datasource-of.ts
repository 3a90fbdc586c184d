// Which entry of the company file is about an instance of the service. Pure.

/** `slack_1` is of the datasource `slack`. */
export const datasourceType = (instance: string): string => instance.replace(/_\d+$/, '')

/** By its instance first (`slack_1`), then by its datasource (`slack`), then `all`: one entry, nothing is put together. */
export const datasourceOf = <T>(entries: ReadonlyMap<string, T>, instance: string): T | undefined =>
  entries.get(instance) ?? entries.get(datasourceType(instance)) ?? entries.get('all')

type Placed = { order: number | undefined; isHidden: boolean }

/**
 * What it returns puts apps into the company's order and leaves out those that it hides. Without either it gives the same
 * list back.
 */
export function arrangementOf(of: (instance: string) => Placed | undefined, isPlain: boolean) {
  const orderOf = (instance: string) => of(instance)?.order ?? Infinity
  return <T extends { instance: string }>(apps: T[]): T[] => {
    if (isPlain) return apps
    const shown = apps.filter(({ instance }) => of(instance)?.isHidden !== true)
    const sorted = shown.toSorted((one, other) => compare(orderOf(one.instance), orderOf(other.instance)))
    return sorted.length === apps.length && sorted.every((app, at) => app === apps[at]) ? apps : sorted
  }
}

/** Not by subtraction: two apps without a place are equal. */
const compare = (one: number, other: number) => (one === other ? 0 : one < other ? -1 : 1)
