// The operations that the contract names, and its schedule of deprecations (sections 4 and 9), in the order of its tables.
// A second copy on purpose: a mistake in the product's copy must not be repeated by what it is tested against.

/** A row: an operation, or with `field` a field of it. Days are UTC, `YYYY-MM-DD`. */
export type Deprecated = {
  /** Method and path template: `POST /rest/api/v1/chat`. */
  operation: string
  field?: string
  /** Bodies that have the field; the contract mostly leaves it open. */
  within?: 'response' | 'either'
  /** Only a member of the body itself: the same name elsewhere is something else. */
  topLevel?: boolean
  replacement?: string
  /** What the contract says where it names no replacement. */
  remark?: string
  announced: string
  removal: string
}

type Field = string | (Pick<Deprecated, 'topLevel' | 'replacement' | 'remark'> & { field: string })

const fieldsOf = (
  common: Pick<Deprecated, 'operation' | 'within' | 'announced' | 'removal'>,
  ...fields: Field[]
): Deprecated[] =>
  fields.map((field) => ({
    within: 'either',
    ...common,
    ...(typeof field === 'string' ? { field } : field),
  }))

const may = { announced: '2026-05-07', removal: '2027-01-15' }
const february = { announced: '2026-02-05', removal: '2026-10-15' }
const index = (name: string): Deprecated => {
  return { operation: `POST /api/index/v1/${name}`, announced: '2026-02-03', removal: '2026-10-15' }
}

/** Every row of the two tables. */
export const deprecationSchedule: readonly Deprecated[] = [
  ...fieldsOf(
    { operation: 'POST /rest/api/v1/insights', announced: '2026-05-13', removal: '2027-01-15' },
    { field: 'searchSessionSatisfaction', remark: 'contact support for alternatives' },
  ),
  ...fieldsOf(
    { operation: 'POST /rest/api/v1/getanswer', ...may },
    { field: 'trackingToken', topLevel: true, replacement: 'answer.trackingToken' },
  ),
  ...fieldsOf(
    { operation: 'POST /rest/api/v1/getcollection', ...may },
    { field: 'trackingToken', topLevel: true, replacement: 'collection.trackingToken' },
  ),
  ...fieldsOf(
    { operation: 'POST /rest/api/v1/chat', announced: '2026-02-06', removal: '2026-10-15' },
    {
      field: 'citations',
      replacement: 'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)',
    },
  ),
  ...fieldsOf({ operation: 'POST /api/index/v1/indexemployee', ...february }, 'location'),
  ...fieldsOf(
    { operation: 'POST /rest/api/v1/createannouncement', ...february },
    { field: 'isNegated', replacement: 'relationType' },
    'documents',
    { field: 'boardId', remark: 'Answer Boards are no longer supported' },
    { field: 'snippet', replacement: 'text' },
    { field: 'inviteTime', replacement: 'ChannelInviteInfo' },
    { field: 'reminderTime', replacement: 'ChannelInviteInfo' },
    { field: 'reactions', replacement: 'reacts' },
    { field: 'role', replacement: 'permissions' },
  ),
  ...fieldsOf(
    { operation: 'GET /rest/api/v1/governance/data/policies/{id}', within: 'response', ...february },
    { field: 'sensitiveInfoTypes', replacement: 'sensitiveContentOptions' },
    { field: 'sensitiveInfoTypes', replacement: 'customSensitiveExpressions' },
    { field: 'sensitiveTerms', replacement: 'customSensitiveExpressions' },
    { field: 'sensitiveRegexes', replacement: 'customSensitiveExpressions' },
    'likelihoodThreshold',
    'urlGreenlist',
    { field: 'datasources', replacement: 'datasourceInstances' },
    { field: 'externalSharingOptions', replacement: 'broadSharingOptions' },
    'enabled',
    'anyoneWithLinkEnabled',
  ),
  ...['bulkindexemployees', 'getdocumentcount', 'getdocumentstatus', 'getusercount'].map(index),
  {
    operation: 'POST /rest/api/v1/listanswers',
    remark: 'answer boards have been removed; the endpoint no longer serves a purpose',
    announced: '2026-01-21',
    removal: '2026-10-15',
  },
]

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

/** The name of the operation at a path, for every method. */
export function nameAt(path: string): string | undefined {
  const name = [...operations].find(([, template]) => {
    const [, pattern = ''] = template.split(' ')
    return new RegExp(`^${pattern.replace('{id}', '[^/]+')}$`).test(path)
  })
  return name?.[0]
}
