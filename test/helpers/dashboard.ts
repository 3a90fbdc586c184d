// The queries of the dashboard. As a script: prints them as recording rules, which promtool can check.
import { readFileSync } from 'node:fs'

type Panel = { title: string; targets?: { expr: string }[] }
type Dashboard = { panels: Panel[]; templating: { list: { definition?: string }[] } }

export function dashboardQueries(): string[] {
  const file = new URL('../../deploy/grafana/onramp.json', import.meta.url)
  const { panels, templating } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard
  const variables = templating.list.flatMap(
    ({ definition }) => /\(([^,]+),/.exec(definition ?? '')?.[1] ?? [],
  )
  return [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...variables]
}

if (import.meta.main) {
  const rules = dashboardQueries().map((query, index) => ({
    record: `dashboard:query${index}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '6h'),
  }))
  process.stdout.write(JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
}
