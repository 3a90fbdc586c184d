// The dashboard and the alerts use only metrics and labels that onramp exports. `bash test/alerts` checks the same
// files with Prometheus' promtool.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Metric } from 'prom-client'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type createWatch, publishedSchedule } from '@onramp/deprecations'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import { createAudit, type Audit } from '../../src/web/audit.ts'
import { Metrics } from '../../src/web/metrics.ts'
import { ReceiverMonitor } from '../../src/webhooks/receiver-monitor.ts'
import { dashboardQueries } from '../helpers/dashboard.ts'
import { useFolder } from '../helpers/folder.ts'
import { metricsPage, METRICS_SETTINGS } from '../helpers/metrics-page.ts'
import { routesFor } from '../helpers/routes.ts'

const folder = useFolder()
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> }
const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const queries = [...dashboardQueries(), ...rules.map(({ expr }) => expr)]

/** The series in the tests of the alerts. */
type Simulation = { tests: { input_series: { series: string }[] }[] }
const simulated = (parse(read('test/fixtures/alerts.yml')) as Simulation).tests.flatMap((test) =>
  test.input_series.map(({ series }) => series),
)

const matchersIn = (query: string) =>
  [...query.matchAll(/\b((?:onramp|nodejs|process)_\w+)\{([^}]*)\}/g)].flatMap(
    ([, name = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', values = '']) => ({
        name,
        label,
        values,
        query,
      })),
  )

/** Series and labels that Prometheus adds. */
const FROM_PROMETHEUS = ['up', 'ALERTS']
const LABELS_OF_TARGETS = ['job', 'instance', 'le']

const metricsIn = (query: string) => query.match(/\b(onramp|nodejs|process)_\w+/g) ?? []

/** The names of all series of /metrics. */
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

it('every label in the dashboard, the alerts and the docs belongs to its metric', () => {
  const metrics = new Metrics()
  metrics.watchReachability({ store: () => true, authorization_server: () => true })
  metrics.watchPeople(() => Promise.resolve({}))
  const watch = { registry: metrics.registry, log: { info() {}, warn() {} }, now: Date.now }

  expect(new ReceiverMonitor(watch, () => [])).toBeDefined()
  createAudit({ info: () => {} }, metrics.registry, { ofUser: () => '', ofEmail: () => '' })
  const labelsOf = (name: string): readonly string[] =>
    (
      metrics.registry.getSingleMetric(name.replace(/_(bucket|sum|count)$/, '')) as Metric & {
        labelNames: string[]
      }
    ).labelNames
  let count = 0
  for (const { name, label, query } of [...queries, ...simulated].flatMap(matchersIn)) {
    count++
    expect([...labelsOf(name), ...LABELS_OF_TARGETS], query).toContain(label)
  }
  expect(count).toBeGreaterThan(60)
})

type Event = Parameters<Audit>[0]
type ResultOf<E> = E extends { result: infer Result } ? Result : never
type By = Parameters<NonNullable<NonNullable<Parameters<typeof createWatch>[1]>['count']>>[0]['by']

/** The values of labels. The compiler compares each list with the type in the product. */
async function valuesOf(label: string): Promise<readonly string[]> {
  switch (label) {
    case 'code':
      return Object.keys(JSON.parse(read('languages/en/problems.json')) as object).flatMap(
        (key) => /^problem\.(\w+)\.title$/.exec(key)?.[1] ?? [],
      )
    case 'event':
      return [
        'sign_in',
        'refresh',
        'step_started',
        'step_failed',
        'step_result',
        'skipped',
      ] satisfies Event['event'][]
    case 'result':
      return [
        ...(['ok', 'refused', 'failed', 'connected', 'unconfirmed', 'done'] satisfies ResultOf<Event>[]),
        'delivered',
        'dropped',
      ]
    case 'outcome':
      return ['sent', 'deferred', 'failed', 'unknown', 'unusable'] satisfies (
        SendResult['outcome'] | 'unusable'
      )[]
    case 'by':
      return ['use', 'possible', 'announced', 'gone'] satisfies By[]
    case 'dependency':
      return ['store', 'authorization_server'] satisfies (keyof Parameters<Metrics['watchReachability']>[0])[]
    case 'item':
      return publishedSchedule.map(({ id }) => id)
    case 'status':
      return ['2xx', '4xx', '5xx', '401', '403', 'none']
    case 'operation':
      return ['checkdatasourceauth', 'search', 'discovery', 'token']
    case 'route':
      return await routesFor('get', { ...METRICS_SETTINGS, DATA_DIR: folder })
    default:
      throw new Error(`no values of ${label}`)
  }
}

it('every label value in alerts, their tests and the dashboard exists', async () => {
  const calls = [...queries, ...simulated].flatMap(matchersIn).flatMap(({ label, values, ...rest }) =>
    // A variable of the dashboard, and values that Prometheus adds.
    values.startsWith('$') || LABELS_OF_TARGETS.includes(label)
      ? []
      : values.split('|').map((value) => ({ ...rest, label, value })),
  )
  expect(new Set(calls.map(({ label }) => label)).size).toBeGreaterThan(8)
  for (const [label, ofLabel] of Map.groupBy(calls, (one) => one.label)) {
    const values = await valuesOf(label)
    for (const { value, query } of ofLabel) expect(values, query).toContain(value)
  }
})

it('every alert has its subject, first step and urgency', () => {
  const docs = read('docs/observability.md')
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket'], alert).toContain(labels.severity)
    expect(annotations, alert).toEqual({ summary: expect.any(String), description: expect.any(String) })
    expect(docs, alert).toContain(`\`${alert}\``)
  }
})
