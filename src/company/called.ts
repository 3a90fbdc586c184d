// What apps are called next to each other, on every page and in every email. Pure.

/** With more apps than that, no one reads through the list, and a guess in minutes would only deter. */
export const MAX_AT_A_GLANCE = 10

/** `slack_1` is of the datasource `slack`. */
export const datasourceType = (instance: string): string => instance.replace(/_\d+$/, '')

type App = { instance: string; name: string }

/**
 * Apps under names that tell them apart: two with one name by the numbers of their identifiers, or else by all of them.
 * The number stays on the line of what it belongs to. `short` is the name without it, as the app calls itself.
 */
export function calledAs<T extends App>(apps: readonly T[]): (T & { short: string })[] {
  const byName = Map.groupBy(apps, ({ name }) => name)
  const countsByName = new Map(
    [...byName].map(([name, alike]) => {
      const instances = new Set(alike.map(({ instance }) => instance))
      return [name, { instances: instances.size, numbers: new Set([...instances].map(numberOf)).size }]
    }),
  )
  return apps.map((app) => {
    const short = readable(app)
    const { instances, numbers } = countsByName.get(app.name) ?? { instances: 1, numbers: 1 }
    if (instances < 2 || app.name === app.instance) return { ...app, name: short, short }
    const mark = numbers === instances ? numberOf(app.instance) : app.instance
    return { ...app, name: `${short}\u00a0(${mark})`, short }
  })
}

/** Of `slack_2`: 2. */
const numberOf = (instance: string): string => /_(\d+)$/.exec(instance)?.[1] ?? instance

/** A service without display names gives identifiers: `google_drive_1` is read as `Google drive 1`. */
export const readable = ({ name, instance }: App): string =>
  name === instance && /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name) ? inWords(name) : name

/** An identifier as people read it: `google_drive` is "Google drive". */
export const inWords = (identifier: string): string =>
  identifier.charAt(0).toUpperCase() + identifier.slice(1).replaceAll('_', ' ')
