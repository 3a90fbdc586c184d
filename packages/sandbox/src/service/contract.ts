// The contract's operations and its schedule of deprecations (sections 4 and 9), in the order of its tables.
// A copy on purpose, so that a mistake in the product's table isn't repeated by its test.
import deprecationSchedule from './deprecation-schedule.json' with { type: 'json' }

export { deprecationSchedule }

/** Method and path template by name, which is the end of the path. The contract shows two; its schedule names the others. */
export const operations = new Map(
  [
    'POST /rest/api/v1/checkdatasourceauth',
    'POST /rest/api/v1/search',
    ...deprecationSchedule.map(({ operation }) => operation),
  ].map((template) => [template.replace('/{id}', '').split('/').at(-1) ?? '', template]),
)
