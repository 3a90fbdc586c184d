// The published schedule of deprecations (contract, sections 9.1 and 9.2), in the order of its tables.
// Written out a second time on purpose: a mistake in the product's copy must not be repeated by what it is tested against.

/** A row: an operation, or with `field` a field of it. Days are UTC, `YYYY-MM-DD`. */
export type Deprecated = {
  /** Method and path template: `POST /rest/api/v1/chat`. */
  operation: string
  field?: string
  /** Bodies that bear the field; the contract mostly leaves it open. */
  within?: 'request' | 'response' | 'either'
  /** Only a member of the body itself: the same name elsewhere is something else. */
  topLevel?: boolean
  replacement?: string
  /** What the contract says where it names no replacement. */
  remark?: string
  announced: string
  removal: string
}

type Field = Pick<Deprecated, 'field' | 'replacement' | 'remark'>

const insights = 'POST /rest/api/v1/insights'
const getAnswer = 'POST /rest/api/v1/getanswer'
const getCollection = 'POST /rest/api/v1/getcollection'
const chat = 'POST /rest/api/v1/chat'
const indexEmployee = 'POST /api/index/v1/indexemployee'
const createAnnouncement = 'POST /rest/api/v1/createannouncement'
const policies = 'GET /rest/api/v1/governance/data/policies/{id}'

const announcementFields: Field[] = [
  { field: 'isNegated', replacement: 'relationType' },
  { field: 'documents' },
  { field: 'boardId', remark: 'Answer Boards are no longer supported' },
  { field: 'snippet', replacement: 'text' },
  { field: 'inviteTime', replacement: 'ChannelInviteInfo' },
  { field: 'reminderTime', replacement: 'ChannelInviteInfo' },
  { field: 'reactions', replacement: 'reacts' },
  { field: 'role', replacement: 'permissions' },
]

const policyFields: Field[] = [
  { field: 'sensitiveInfoTypes', replacement: 'sensitiveContentOptions' },
  { field: 'sensitiveInfoTypes', replacement: 'customSensitiveExpressions' },
  { field: 'sensitiveTerms', replacement: 'customSensitiveExpressions' },
  { field: 'sensitiveRegexes', replacement: 'customSensitiveExpressions' },
  { field: 'likelihoodThreshold' },
  { field: 'urlGreenlist' },
  { field: 'datasources', replacement: 'datasourceInstances' },
  { field: 'externalSharingOptions', replacement: 'broadSharingOptions' },
  { field: 'enabled' },
  { field: 'anyoneWithLinkEnabled' },
]

const february = { announced: '2026-02-05', removal: '2026-10-15' }

/** Every row of the two tables. */
export const deprecationSchedule: readonly Deprecated[] = [
  {
    operation: insights,
    field: 'searchSessionSatisfaction',
    within: 'either',
    remark: 'contact support for alternatives',
    announced: '2026-05-13',
    removal: '2027-01-15',
  },
  {
    operation: getAnswer,
    field: 'trackingToken',
    within: 'either',
    topLevel: true,
    replacement: 'answer.trackingToken',
    announced: '2026-05-07',
    removal: '2027-01-15',
  },
  {
    operation: getCollection,
    field: 'trackingToken',
    within: 'either',
    topLevel: true,
    replacement: 'collection.trackingToken',
    announced: '2026-05-07',
    removal: '2027-01-15',
  },
  {
    operation: chat,
    field: 'citations',
    within: 'either',
    replacement: 'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)',
    announced: '2026-02-06',
    removal: '2026-10-15',
  },
  { operation: indexEmployee, field: 'location', within: 'either', ...february },
  ...announcementFields.map((field): Deprecated => ({
    operation: createAnnouncement,
    within: 'either',
    ...field,
    ...february,
  })),
  ...policyFields.map((field): Deprecated => ({
    operation: policies,
    within: 'response',
    ...field,
    ...february,
  })),
  ...['bulkindexemployees', 'getdocumentcount', 'getdocumentstatus', 'getusercount'].map((name) => ({
    operation: `POST /api/index/v1/${name}`,
    announced: '2026-02-03',
    removal: '2026-10-15',
  })),
  {
    operation: 'POST /rest/api/v1/listanswers',
    remark: 'answer boards have been removed; the endpoint no longer serves a purpose',
    announced: '2026-01-21',
    removal: '2026-10-15',
  },
]
