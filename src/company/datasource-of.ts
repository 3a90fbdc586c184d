// Which entry of the company file is about an instance of the service. Pure.

/** `slack_1` is of the datasource `slack`. */
export const datasourceType = (instance: string): string => instance.replace(/_\d+$/, '')

/** By its instance first (`slack_1`), then by its datasource (`slack`), then `all`: one entry, nothing is put together. */
export const datasourceOf = <T>(entries: ReadonlyMap<string, T>, instance: string): T | undefined =>
  entries.get(instance) ?? entries.get(datasourceType(instance)) ?? entries.get('all')
