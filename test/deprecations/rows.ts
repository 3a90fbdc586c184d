// The rows of the contract's tables 9.1 and 9.2, written out again for the tests, with a sample that uses each row and one
// that uses its replacement instead. Not made from the schedule under test, so that a mistake there shows.
import type { Call } from '../../packages/deprecations/src/matching/matching.ts'

export type Row = {
  id: string
  operation: string
  field?: string
  replacement?: string
  announced: string
  removal: string
  uses: Partial<Call>
  instead: Partial<Call>
}

const october = { announced: '2026-02-05', removal: '2026-10-15' }
const january = '2027-01-15'

const announcement = (field: string, replacement: string | undefined, sample: unknown): Row => ({
  id: `createannouncement.${field}`,
  operation: 'POST /rest/api/v1/createannouncement',
  field,
  ...(replacement === undefined ? {} : { replacement }),
  ...october,
  uses: { request: { title: 't', [field]: sample }, response: { id: 1 } },
  instead: { request: { title: 't', [replacement ?? 'body']: sample }, response: { id: 1 } },
})

const policy = (field: string, replacement?: string, id = `policies.${field}`): Row => ({
  id,
  operation: 'GET /rest/api/v1/governance/data/policies/{id}',
  field,
  ...(replacement === undefined ? {} : { replacement }),
  ...october,
  uses: { response: { policy: { [field]: [1] } } },
  instead: { response: { policy: { [replacement ?? 'name']: [1] } } },
})

const token = (of: string): Row => ({
  id: `get${of}.trackingToken`,
  operation: `POST /rest/api/v1/get${of}`,
  field: 'trackingToken',
  replacement: `${of}.trackingToken`,
  announced: '2026-05-07',
  removal: january,
  uses: { response: { trackingToken: 't', [of]: {} } },
  instead: { response: { [of]: { trackingToken: 't' } } },
})

const endpoint = (operation: string, announced: string): Row => ({
  id: operation.split('/').at(-1) ?? '',
  operation,
  announced,
  removal: '2026-10-15',
  uses: {},
  instead: { url: 'https://service.example/api/index/v1/indexdocuments' },
})

export const rows: Row[] = [
  {
    id: 'insights.searchSessionSatisfaction',
    operation: 'POST /rest/api/v1/insights',
    field: 'searchSessionSatisfaction',
    announced: '2026-05-13',
    removal: january,
    uses: { response: { searchSessionSatisfaction: 0.9 } },
    instead: { response: { searches: 3 } },
  },
  token('answer'),
  token('collection'),
  {
    id: 'chat.citations',
    operation: 'POST /rest/api/v1/chat',
    field: 'citations',
    replacement: 'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)',
    announced: '2026-02-06',
    removal: '2026-10-15',
    uses: { response: { messages: [{ citations: [{ id: 1 }] }] } },
    instead: { response: { messages: [{ fragments: [{ citation: { referenceRanges: [] } }] }] } },
  },
  {
    id: 'indexemployee.location',
    operation: 'POST /api/index/v1/indexemployee',
    field: 'location',
    ...october,
    uses: { request: { employee: { location: 'x' } } },
    instead: { request: { employee: { structuredLocation: {} } } },
  },
  announcement('isNegated', 'relationType', true),
  announcement('documents', undefined, []),
  announcement('boardId', undefined, 3),
  announcement('snippet', 'text', 's'),
  announcement('inviteTime', 'ChannelInviteInfo', 1),
  announcement('reminderTime', 'ChannelInviteInfo', 1),
  announcement('reactions', 'reacts', []),
  announcement('role', 'permissions', 'r'),
  policy('sensitiveInfoTypes', 'sensitiveContentOptions', 'policies.sensitiveInfoTypes.contentOptions'),
  policy('sensitiveInfoTypes', 'customSensitiveExpressions', 'policies.sensitiveInfoTypes.customExpressions'),
  policy('sensitiveTerms', 'customSensitiveExpressions'),
  policy('sensitiveRegexes', 'customSensitiveExpressions'),
  policy('likelihoodThreshold'),
  policy('urlGreenlist'),
  policy('datasources', 'datasourceInstances'),
  policy('externalSharingOptions', 'broadSharingOptions'),
  policy('enabled'),
  policy('anyoneWithLinkEnabled'),
  endpoint('POST /api/index/v1/bulkindexemployees', '2026-02-03'),
  endpoint('POST /api/index/v1/getdocumentcount', '2026-02-03'),
  endpoint('POST /api/index/v1/getdocumentstatus', '2026-02-03'),
  endpoint('POST /api/index/v1/getusercount', '2026-02-03'),
  endpoint('POST /rest/api/v1/listanswers', '2026-01-21'),
]

/** A call of a row's operation, below a path prefix, with a query that must not matter. */
export const callOf = (row: Row, sample: Partial<Call>): Call => {
  const [method = '', path = ''] = row.operation.split(' ')
  return { method, url: `https://service.example/tenant/a${path.replace('{id}', '42')}?q=1`, ...sample }
}
