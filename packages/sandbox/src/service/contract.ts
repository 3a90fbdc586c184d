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
  topLevel?: boolean | undefined
  replacement?: string | undefined
  /** What the contract says where it names no replacement. */
  remark?: string | undefined
  announced: string
  removal: string
}

type Field = [field: string, replacement?: string | undefined, remark?: string]

const fieldsOf = (operation: string, announced: string, removal: string, fields: Field[]): Deprecated[] =>
  fields.map(([field, replacement, remark]) => ({
    operation,
    field,
    // A GET has no body.
    within: operation.startsWith('GET ') ? 'response' : 'either',
    // The same name deeper in the body is the replacement.
    topLevel: replacement?.endsWith(`.${field}`),
    replacement,
    remark,
    announced,
    removal,
  }))

const inlineCitations =
  'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)'
const noBoards = 'answer boards have been removed; the endpoint no longer serves a purpose'

/** Every row of the two tables. */
export const deprecationSchedule: readonly Deprecated[] = [
  ...fieldsOf('POST /rest/api/v1/insights', '2026-05-13', '2027-01-15', [
    ['searchSessionSatisfaction', undefined, 'contact support for alternatives'],
  ]),
  ...fieldsOf('POST /rest/api/v1/getanswer', '2026-05-07', '2027-01-15', [
    ['trackingToken', 'answer.trackingToken'],
  ]),
  ...fieldsOf('POST /rest/api/v1/getcollection', '2026-05-07', '2027-01-15', [
    ['trackingToken', 'collection.trackingToken'],
  ]),
  ...fieldsOf('POST /rest/api/v1/chat', '2026-02-06', '2026-10-15', [['citations', inlineCitations]]),
  ...fieldsOf('POST /api/index/v1/indexemployee', '2026-02-05', '2026-10-15', [['location']]),
  ...fieldsOf('POST /rest/api/v1/createannouncement', '2026-02-05', '2026-10-15', [
    ['isNegated', 'relationType'],
    ['documents'],
    ['boardId', undefined, 'Answer Boards are no longer supported'],
    ['snippet', 'text'],
    ['inviteTime', 'ChannelInviteInfo'],
    ['reminderTime', 'ChannelInviteInfo'],
    ['reactions', 'reacts'],
    ['role', 'permissions'],
  ]),
  ...fieldsOf('GET /rest/api/v1/governance/data/policies/{id}', '2026-02-05', '2026-10-15', [
    ['sensitiveInfoTypes', 'sensitiveContentOptions'],
    ['sensitiveInfoTypes', 'customSensitiveExpressions'],
    ['sensitiveTerms', 'customSensitiveExpressions'],
    ['sensitiveRegexes', 'customSensitiveExpressions'],
    ['likelihoodThreshold'],
    ['urlGreenlist'],
    ['datasources', 'datasourceInstances'],
    ['externalSharingOptions', 'broadSharingOptions'],
    ['enabled'],
    ['anyoneWithLinkEnabled'],
  ]),
  ...['bulkindexemployees', 'getdocumentcount', 'getdocumentstatus', 'getusercount'].map((name) => ({
    operation: `POST /api/index/v1/${name}`,
    announced: '2026-02-03',
    removal: '2026-10-15',
  })),
  {
    operation: 'POST /rest/api/v1/listanswers',
    remark: noBoards,
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
