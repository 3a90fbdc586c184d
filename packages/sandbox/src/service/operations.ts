// The operations that the contract names: the two that it shows (4.1, 4.2), and those of its schedule (4.3).
// Their names are the ends of their paths; `answers`, `latencyMs`, scopes and the journal have the same.
import { deprecationSchedule } from './deprecation-schedule.ts'

const shown = ['checkdatasourceauth', 'search']
const templates = [
  ...shown.map((name) => `POST /rest/api/v1/${name}`),
  ...deprecationSchedule.map(({ operation }) => operation),
]
/** Method and path template, as in the schedule, by name. */
export const operations = new Map(
  templates.map((template) => [template.replace('/{id}', '').split('/').at(-1) ?? '', template]),
)

/** Whether the contract shows the operation, and not only names it. */
export const isShown = (name: string): boolean => shown.includes(name)

/** The name of the operation at a path, for every method. */
export function nameAt(path: string): string | undefined {
  const fits = (template: string) =>
    new RegExp(`^\\w+ ${template.replace(/^\w+ /, '').replace('{id}', '[^/]+')}$`).test(`ANY ${path}`)
  return [...operations].find(([, template]) => fits(template))?.[0]
}
