// A histogram of Prometheus that is cheap to count with. What surprises: prom-client works out the name of a series from
// its labels in every observation, which took a hundredth of a whole page; here a series is found once and then counts by itself.
import { Histogram, type Registry } from 'prom-client'

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts one more, that took so many seconds. */
export type Count = (seconds: number) => void

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
  readonly #series: Series<L>[] = []

  constructor({ name, help, labelNames, registry }: TimingsOptions<L>) {
    super({ name, help, labelNames: [...labelNames], buckets: BOUNDS_SECONDS, registers: [registry] })
    this.#about = { name, help }
  }

  /** A new series; whoever asks keeps it. */
  seriesOf(labels: Record<L, string>): Count {
    const series: Series<L> = { labels, counts: BOUNDS_SECONDS.map(() => 0).concat(0), sum: 0 }
    this.#series.push(series)
    return (seconds) => {
      let bound = 0
      while (bound < BOUNDS_SECONDS.length && seconds > (BOUNDS_SECONDS[bound] ?? Infinity)) bound++
      series.counts[bound] = (series.counts[bound] ?? 0) + 1
      series.sum += seconds
    }
  }

  /** What `get` and the registry ask for when they write the page. */
  getForPromString() {
    const values = this.#series.flatMap((series) => this.#valuesOf(series))
    return { ...this.#about, type: 'histogram', aggregator: 'sum', values }
  }

  #valuesOf({ labels, counts, sum }: Series<L>) {
    let count = 0
    const buckets = counts.map((more, index) => {
      count += more
      const le = BOUNDS_SECONDS[index] ?? '+Inf'
      return { labels: { le }, sharedLabels: labels, value: count, metricName: `${this.#about.name}_bucket` }
    })
    return [
      ...buckets,
      { labels: {}, sharedLabels: labels, value: sum, metricName: `${this.#about.name}_sum` },
      { labels: {}, sharedLabels: labels, value: count, metricName: `${this.#about.name}_count` },
    ]
  }
}
