// A histogram of Prometheus that is cheap to count with. What surprises: prom-client works out the name of a series from
// its labels in every observation, which took a hundredth of a page; here the values of the labels alone find it.
import { Histogram, type Registry } from 'prom-client'

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Series<L extends string> = {
  labels: Record<L, string>
  /** How many took no longer than each bound and longer than the one before; the last: longer than all. */
  counts: number[]
  sum: number
}

export type TimingsOptions<L extends string> = {
  name: string
  help: string
  labelNames: readonly L[]
  registry: Registry
}

export class Timings<L extends string> extends Histogram<L> {
  readonly #about: { name: string; help: string }
  readonly #labelNames: readonly L[]
  readonly #series = new Map<string, Series<L>>()

  constructor({ name, help, labelNames, registry }: TimingsOptions<L>) {
    super({ name, help, labelNames: [...labelNames], buckets: BOUNDS_SECONDS, registers: [registry] })
    this.#about = { name, help }
    this.#labelNames = labelNames
  }

  /** Counts one more that took so many seconds. @param labels all of them */
  count(labels: Record<L, string>, seconds: number): void {
    let key = ''
    for (const label of this.#labelNames) key += ` ${labels[label]}`
    let series = this.#series.get(key)
    if (series === undefined)
      this.#series.set(key, (series = { labels, counts: BOUNDS_SECONDS.map(() => 0).concat(0), sum: 0 }))
    let index = 0
    while (index < BOUNDS_SECONDS.length && seconds > (BOUNDS_SECONDS[index] ?? Infinity)) index++
    series.counts[index] = (series.counts[index] ?? 0) + 1
    series.sum += seconds
  }

  /** What `get` and the registry ask for when they write the page. */
  getForPromString() {
    const values = [...this.#series.values()].flatMap((series) => this.#valuesOf(series))
    return { ...this.#about, type: 'histogram', aggregator: 'sum', values }
  }

  #valuesOf({ labels: sharedLabels, counts, sum }: Series<L>) {
    const { name } = this.#about
    let count = 0
    const buckets = counts.map((more, index) => {
      count += more
      const le = BOUNDS_SECONDS[index] ?? '+Inf'
      return { labels: { le }, sharedLabels, value: count, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels: {}, sharedLabels, value: sum, metricName: `${name}_sum` },
      { labels: {}, sharedLabels, value: count, metricName: `${name}_count` },
    ]
  }
}
