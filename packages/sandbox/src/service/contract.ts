// The contract's operations and its schedule of deprecations (sections 4 and 9), in the order of its tables.
// A copy on purpose, so that a mistake in the product's table isn't repeated by its test.
import schedule from './deprecation-schedule.json' with { type: 'json' }

/** An operation or one of its fields. Days are UTC, `YYYY-MM-DD`. */
export type Deprecated = {
  /** Method and path template: `POST /rest/api/v1/chat`. */
  operation: string
  field?: string
  /** The contract mostly names no side. */
  within?: 'response' | 'either'
  /** The same name deeper in the body is another field. */
  topLevel?: boolean | undefined
  replacement?: string | undefined
  /** The contract's advice without a replacement. */
  remark?: string | undefined
  announced: string
  removal: string
}

export const deprecationSchedule: readonly Deprecated[] = schedule as Deprecated[]

/** Method and path template by name, which is the end of the path. The contract shows two; its schedule names the others. */
export const operations = new Map(
  [
    'POST /rest/api/v1/checkdatasourceauth',
    'POST /rest/api/v1/search',
    ...deprecationSchedule.map(({ operation }) => operation),
  ].map((template) => [template.replace('/{id}', '').split('/').at(-1) ?? '', template]),
)
