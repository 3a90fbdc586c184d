// The service's published schedule: every row of the contract's sections 9.1 and 9.2, in its order, nothing else.
// Where the contract does not say whether a field is of the request or the response, it is `either`: better found than missed.
// What an operation is about may be in a member of its name (`answer`, `collection` in 9.1): its members count as the body's.
import type { Entry, FieldEntry, Schedule } from './schedule.ts'

type Terms = { place?: Partial<FieldEntry['place']>; announced: string; removal: string }
type Row = Partial<Pick<FieldEntry, 'id' | 'replacement' | 'advice' | 'reason' | 'note'>>

const partsOf = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ')
  const api = path.startsWith('/api/index/') ? ('indexing' as const) : ('client' as const)
  return { id: path.replace('/{id}', '').split('/').at(-1) ?? '', api, method, path }
}

const fields = (operation: string, { place, ...dates }: Terms, rows: readonly [string, Row?][]): Entry[] =>
  rows.map(([field, row]) => {
    const { id, ...of } = partsOf(operation)
    const where = { in: 'either', depth: 'any', ...place } as const
    return { id: `${id}.${field}`, kind: 'field', ...of, field, place: where, ...row, ...dates }
  })

const endpoint = (path: string, announced: string, reason = 'deprecated'): Entry => {
  const dates = { announced, removal: '2026-10-15' }
  return { kind: 'endpoint', ...partsOf(`POST ${path}`), reason, ...dates }
}

const fifthOfFebruary = { announced: '2026-02-05', removal: '2026-10-15' }
const topLevel: Terms = { place: { depth: 'top' }, announced: '2026-05-07', removal: '2027-01-15' }
const citations: Terms = {
  place: { holders: ['messages', 'message'] },
  announced: '2026-02-06',
  removal: '2026-10-15',
}
const announcing = { place: { holders: ['announcement'] }, ...fifthOfFebruary }
// A GET sends no body (RFC 9110 9.3.1), so these are of the response.
const policy: Terms = { place: { in: 'response', holders: ['policy'] }, ...fifthOfFebruary }
const invite = { replacement: 'ChannelInviteInfo' }
const expressions = { replacement: 'customSensitiveExpressions' }
const inline = 'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)'

/** The schedule as published: 23 fields and 5 endpoints. Source: contract, sections 9.1 and 9.2. */
export const publishedSchedule: Schedule = [
  ...fields('POST /rest/api/v1/insights', { announced: '2026-05-13', removal: '2027-01-15' }, [
    ['searchSessionSatisfaction', { advice: 'no replacement: contact support for alternatives' }],
  ]),
  ...fields('POST /rest/api/v1/getanswer', topLevel, [
    ['trackingToken', { replacement: 'answer.trackingToken' }],
  ]),
  ...fields('POST /rest/api/v1/getcollection', topLevel, [
    ['trackingToken', { replacement: 'collection.trackingToken' }],
  ]),
  // A chat's messages are of the request as well as of the response; fragments, which replace, are parts of a message.
  ...fields('POST /rest/api/v1/chat', citations, [
    ['citations', { replacement: inline, note: 'still filled for backward compatibility' }],
  ]),
  ...fields('POST /api/index/v1/indexemployee', { place: { holders: ['employee'] }, ...fifthOfFebruary }, [
    ['location'],
  ]),
  // What creates an announcement takes these fields and answers with the announcement made of them.
  ...fields('POST /rest/api/v1/createannouncement', announcing, [
    ['isNegated', { replacement: 'relationType' }],
    ['documents'],
    ['boardId', { advice: 'no replacement', reason: 'Answer Boards are no longer supported' }],
    ['snippet', { replacement: 'text' }],
    ['inviteTime', invite],
    ['reminderTime', invite],
    ['reactions', { replacement: 'reacts' }],
    ['role', { replacement: 'permissions' }],
  ]),
  ...fields('GET /rest/api/v1/governance/data/policies/{id}', policy, [
    [
      'sensitiveInfoTypes',
      { id: 'policies.sensitiveInfoTypes.contentOptions', replacement: 'sensitiveContentOptions' },
    ],
    ['sensitiveInfoTypes', { id: 'policies.sensitiveInfoTypes.customExpressions', ...expressions }],
    ['sensitiveTerms', expressions],
    ['sensitiveRegexes', expressions],
    ['likelihoodThreshold'],
    ['urlGreenlist'],
    ['datasources', { replacement: 'datasourceInstances' }],
    ['externalSharingOptions', { replacement: 'broadSharingOptions' }],
    ['enabled'],
    ['anyoneWithLinkEnabled'],
  ]),
  endpoint('/api/index/v1/bulkindexemployees', '2026-02-03'),
  endpoint('/api/index/v1/getdocumentcount', '2026-02-03'),
  endpoint('/api/index/v1/getdocumentstatus', '2026-02-03'),
  endpoint('/api/index/v1/getusercount', '2026-02-03'),
  endpoint(
    '/rest/api/v1/listanswers',
    '2026-01-21',
    'answer boards have been removed; the endpoint no longer serves a purpose',
  ),
]
