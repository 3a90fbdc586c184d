// Makes the names of apps in a list unique. Pure.

/** Longer lists are cut, and get no estimate in minutes. */
export const MAX_SCANNABLE_APPS = 10

/** `slack` for `slack_1` */
export const datasourceType = (instance: string): string => instance.replace(/_\d+$/, '')

type NamedApp = { instance: string; name: string }

/**
 * Numbers apps of the same name by their instances: Slack, Slack (2). The first gets no number, so it has the same name
 * for everyone. Instances without distinct numbers are shown whole. `short` is the name without the number.
 */
export function withUniqueNames<T extends NamedApp>(apps: readonly T[]): (T & { short: string })[] {
  const byName = new Map(
    [...Map.groupBy(apps, ({ name }) => name)]
      .filter(([, { length }]) => length > 1)
      .map(([name, sameNameApps]) => [name, suffixesOf(sameNameApps)]),
  )
  return apps.map((app) => {
    const short = readableName(app)
    const suffix = byName.get(app.name)?.get(app.instance)
    return { ...app, name: suffix ? `${short}\u00a0(${suffix})` : short, short }
  })
}

function suffixesOf(sameNameApps: readonly NamedApp[]): ReadonlyMap<string, string> {
  const instances = [...new Set(sameNameApps.map(({ instance }) => instance))].sort(inNumericOrder)
  const hasNumbers = new Set(instances.map(numberOf)).size === instances.length
  return new Map(instances.map((id, index) => [id, index === 0 ? '' : hasNumbers ? `${numberOf(id)}` : id]))
}

/** 2 for `slack_2`, 0 without a number. */
const numberOf = (instance: string): number => Number(/_(\d+)$/.exec(instance)?.[1] ?? 0)

const inNumericOrder = (one: string, other: string): number =>
  numberOf(one) - numberOf(other) || (one < other ? -1 : 1)

/** Some services send identifiers instead of names: `google_drive_1` becomes `Google drive 1`. */
const readableName = ({ name, instance }: NamedApp): string =>
  name === instance && /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name) ? humanize(name) : name

/** `google_drive` becomes "Google drive". */
export const humanize = (identifier: string): string =>
  identifier.charAt(0).toUpperCase() + identifier.slice(1).replaceAll('_', ' ')
