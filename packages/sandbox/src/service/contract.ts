// The contract's operations and its schedule of deprecations (sections 4 and 9), in the order of its tables.
// A copy on purpose, so that a mistake in the product's table isn't repeated by its test.
import schedule from './deprecation-schedule.json' with { type: 'json' }

/** A row: an operation, or with `field` a field of it. Days are UTC, `YYYY-MM-DD`. */
export type Deprecated = {
  /** Method and path template: `POST /rest/api/v1/chat`. */
  operation: string
  field?: string
  /** Bodies that have the field; the contract mostly leaves it open. */
  within?: 'response' | 'either'
  /** Only a member of the body itself: the same name elsewhere is something else. */
  topLevel?: boolean | undefined
  replacement?: string | undefined
  /** What the contract says where it names no replacement. */
  remark?: string | undefined
  announced: string
  removal: string
}

/** Every row of the two tables. */
export const deprecationSchedule: readonly Deprecated[] = schedule as Deprecated[]

/**
 * Method and path template of every operation: the two that the contract shows, and those of its schedule. Their names
 * are the ends of their paths; `answers`, `latencyMs`, scopes and the journal have the same.
 */
export const operations = new Map(
  [
    'POST /rest/api/v1/checkdatasourceauth',
    'POST /rest/api/v1/search',
    ...deprecationSchedule.map(({ operation }) => operation),
  ].map((template) => [template.replace('/{id}', '').split('/').at(-1) ?? '', template]),
)
