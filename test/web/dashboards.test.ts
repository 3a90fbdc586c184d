// The dashboard and the alerts ask for nothing that onramp does not export: every metric and every label by its name.
// `bash test/alerts` has Prometheus' own promtool check the same files.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Metric } from 'prom-client'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { createAudit } from '../../src/web/audit.ts'
import { createMetrics } from '../../src/web/metrics/metrics.ts'
import { watchReceiver } from '../../src/webhooks/receiver.ts'
import { dashboardQueries } from '../helpers/dashboard.ts'
import { metricsPage } from '../helpers/metrics-page.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> }
const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const queries = [...dashboardQueries(), ...rules.map(({ expr }) => expr)]

/** By Prometheus, not by us. */
const FROM_PROMETHEUS = ['up', 'ALERTS']
const LABELS_OF_TARGETS = ['job', 'instance', 'le']

const metricsIn = (query: string) => query.match(/\b(onramp|nodejs|process)_\w+/g) ?? []

/** The names of all series that /metrics can have. */
const seriesOf = (page: string) =>
  [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  )

it('every metric of the dashboard, the alerts and the docs is exported', async () => {
  const webhooks = {
    WEBHOOK_URL: 'https://hooks.acme.example',
    WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
  }
  const names = seriesOf(await metricsPage(webhooks))
  expect(names.length).toBeGreaterThan(30)
  expect(queries.length).toBeGreaterThan(30)
  for (const query of queries) {
    for (const name of metricsIn(query)) expect(names, query).toContain(name)
    expect(
      metricsIn(query).length + FROM_PROMETHEUS.filter((name) => query.includes(name)).length,
    ).toBeGreaterThan(0)
  }
  const docs = read('docs/observability.md')
  const ours = names
    .filter((name) => name.startsWith('onramp_'))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  for (const name of ours) expect(docs, name).toContain(`\`${name}\``)
  for (const [name] of docs.matchAll(/\bonramp_\w+_\w+/g))
    expect([...ours, ...names], 'in docs/observability.md').toContain(name)
})

it('every label that they ask for is one of the metric', () => {
  const metrics = createMetrics()
  metrics.watchReach({ store: () => true, authorization_server: () => true })
  watchReceiver(metrics.registry, { info() {}, warn() {} }, () => [], Date.now)
  createAudit({
    log: { info: () => {} },
    registry: metrics.registry,
    ids: { ofUser: () => '', ofEmail: () => '' },
  })
  const labelsOf = (name: string): readonly string[] =>
    (
      metrics.registry.getSingleMetric(name.replace(/_(bucket|sum|count)$/, '')) as Metric & {
        labelNames: string[]
      }
    ).labelNames
  let count = 0
  for (const query of queries)
    for (const [, name = '', matchers = ''] of query.matchAll(
      /\b((?:onramp|nodejs|process)_\w+)\{([^}]*)\}/g,
    ))
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        count++
        expect([...labelsOf(name), ...LABELS_OF_TARGETS], query).toContain(label)
      }
  expect(count).toBeGreaterThan(60)
})

it('every alert says what it is about, what to look at, and how urgent it is', () => {
  const docs = read('docs/observability.md')
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket'], alert).toContain(labels.severity)
    expect(annotations, alert).toEqual({ summary: expect.any(String), description: expect.any(String) })
    expect(docs, alert).toContain(`\`${alert}\``)
  }
})
