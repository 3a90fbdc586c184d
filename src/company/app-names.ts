// What apps are called next to each other, on every page and in every email. Pure.

/** With more apps than that, no one reads through the list, and a guess in minutes would only deter. */
export const MAX_SCANNABLE_APPS = 10

/** `slack_1` is of the datasource `slack`. */
export const datasourceType = (instance: string): string => instance.replace(/_\d+$/, '')

type NamedApp = { instance: string; name: string }

/**
 * Apps under names that tell them apart. Of those with one name, the first instance has no number: it is called the same
 * for everyone, whether or not others have a second one. The others have the numbers of their identifiers, or else all of
 * them. A number stays on the line of what it belongs to. `short` is the name without it, as the app calls itself.
 */
export function withUniqueNames<T extends NamedApp>(apps: readonly T[]): (T & { short: string })[] {
  const byName = new Map(
    [...Map.groupBy(apps, ({ name }) => name)].map(([name, alike]) => [name, suffixesOf(alike)]),
  )
  return apps.map((app) => {
    const short = readableName(app)
    const mark = byName.get(app.name)?.get(app.instance)
    return { ...app, name: mark ? `${short}\u00a0(${mark})` : short, short }
  })
}

/** By instance, what tells it from the others of its name; the first one has nothing. */
function suffixesOf(alike: readonly NamedApp[]): ReadonlyMap<string, string> {
  const instances = [...new Set(alike.map(({ instance }) => instance))].sort(inNumericOrder)
  const hasNumbers = new Set(instances.map(numberOf)).size === instances.length
  return new Map(instances.map((one, at) => [one, at === 0 ? '' : hasNumbers ? String(numberOf(one)) : one]))
}

/** Of `slack_2`: 2. The one without a number is the first. */
const numberOf = (instance: string): number => Number(/_(\d+)$/.exec(instance)?.[1] ?? 0)

const inNumericOrder = (one: string, other: string): number =>
  numberOf(one) - numberOf(other) || (one < other ? -1 : 1)

/** A service without display names gives identifiers: `google_drive_1` is read as `Google drive 1`. */
export const readableName = ({ name, instance }: NamedApp): string =>
  name === instance && /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name) ? humanize(name) : name

/** An identifier as people read it: `google_drive` is "Google drive". */
export const humanize = (identifier: string): string =>
  identifier.charAt(0).toUpperCase() + identifier.slice(1).replaceAll('_', ' ')
