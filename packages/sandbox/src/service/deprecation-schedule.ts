// The published schedule of deprecations (contract, sections 9.1 and 9.2), in the order of its tables.
// A second copy on purpose: a mistake in the product's copy must not be repeated by what it is tested against.

/** A row: an operation, or with `field` a field of it. Days are UTC, `YYYY-MM-DD`. */
export type Deprecated = {
  /** Method and path template: `POST /rest/api/v1/chat`. */
  operation: string
  field?: string
  /** Bodies that bear the field; the contract mostly leaves it open. */
  within?: 'response' | 'either'
  /** Only a member of the body itself: the same name elsewhere is something else. */
  topLevel?: boolean
  replacement?: string
  /** What the contract says where it names no replacement. */
  remark?: string
  announced: string
  removal: string
}

type Common = Pick<Deprecated, 'operation' | 'within' | 'announced' | 'removal'>
type Field = Pick<Deprecated, 'topLevel' | 'replacement' | 'remark'>

const fieldsOf = (common: Common, fields: [name: string, rest?: Field][]): Deprecated[] =>
  fields.map(([field, rest]) => ({ within: 'either', ...common, field, ...rest }))

const may = { announced: '2026-05-07', removal: '2027-01-15' }
const february = { announced: '2026-02-05', removal: '2026-10-15' }

const inlineCitations =
  'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)'
const noBoards = 'answer boards have been removed; the endpoint no longer serves a purpose'

/** Every row of the two tables. */
export const deprecationSchedule: readonly Deprecated[] = [
  ...fieldsOf({ operation: 'POST /rest/api/v1/insights', announced: '2026-05-13', removal: '2027-01-15' }, [
    ['searchSessionSatisfaction', { remark: 'contact support for alternatives' }],
  ]),
  ...fieldsOf({ operation: 'POST /rest/api/v1/getanswer', ...may }, [
    ['trackingToken', { topLevel: true, replacement: 'answer.trackingToken' }],
  ]),
  ...fieldsOf({ operation: 'POST /rest/api/v1/getcollection', ...may }, [
    ['trackingToken', { topLevel: true, replacement: 'collection.trackingToken' }],
  ]),
  ...fieldsOf({ operation: 'POST /rest/api/v1/chat', announced: '2026-02-06', removal: '2026-10-15' }, [
    ['citations', { replacement: inlineCitations }],
  ]),
  ...fieldsOf({ operation: 'POST /api/index/v1/indexemployee', ...february }, [['location']]),
  ...fieldsOf({ operation: 'POST /rest/api/v1/createannouncement', ...february }, [
    ['isNegated', { replacement: 'relationType' }],
    ['documents'],
    ['boardId', { remark: 'Answer Boards are no longer supported' }],
    ['snippet', { replacement: 'text' }],
    ['inviteTime', { replacement: 'ChannelInviteInfo' }],
    ['reminderTime', { replacement: 'ChannelInviteInfo' }],
    ['reactions', { replacement: 'reacts' }],
    ['role', { replacement: 'permissions' }],
  ]),
  ...fieldsOf(
    { operation: 'GET /rest/api/v1/governance/data/policies/{id}', within: 'response', ...february },
    [
      ['sensitiveInfoTypes', { replacement: 'sensitiveContentOptions' }],
      ['sensitiveInfoTypes', { replacement: 'customSensitiveExpressions' }],
      ['sensitiveTerms', { replacement: 'customSensitiveExpressions' }],
      ['sensitiveRegexes', { replacement: 'customSensitiveExpressions' }],
      ['likelihoodThreshold'],
      ['urlGreenlist'],
      ['datasources', { replacement: 'datasourceInstances' }],
      ['externalSharingOptions', { replacement: 'broadSharingOptions' }],
      ['enabled'],
      ['anyoneWithLinkEnabled'],
    ],
  ),
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
