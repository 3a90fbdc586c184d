// The contract's operations and its schedule of deprecations (sections 4 and 9), in the order of its tables.
// It is a copy on purpose, so that a test doesn't repeat a mistake of the product's table.
import deprecationSchedule from './deprecation-schedule.json' with { type: 'json' }

export { deprecationSchedule }

/** Method and path template by name, the end of the path. The contract has two; its schedule names the others. */
export const operations = new Map(
  [
    'POST /rest/api/v1/checkdatasourceauth',
    'POST /rest/api/v1/search',
    ...deprecationSchedule.map(({ operation }) => operation),
  ].map((template) => [template.replace('/{id}', '').split('/').at(-1) ?? '', template]),
)
