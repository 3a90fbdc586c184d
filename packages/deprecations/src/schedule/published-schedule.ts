// The service's published schedule: every row of the contract's sections 9.1 and 9.2, in its order, nothing else.
// Where the contract does not say whether a field is of the request or the response, it is `either`: better found than missed.
// What an operation is about may lie in a member of its name (`answer`, `collection` in 9.1): its members count as the body's.
import type { Entry, FieldEntry, Place, Schedule } from './schedule.ts'

type Rest = Pick<FieldEntry, 'replacement' | 'advice' | 'reason'>
type Row = Rest & { field: string; id?: string }
type Group = {
  operation: string
  place: Place
  announced: string
  removal: string
}

const anywhere: Place = { in: 'either', depth: 'any' }
const topLevel: Place = { in: 'either', depth: 'top' }
const october = '2026-10-15'
const january = '2027-01-15'

const split = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ')
  const api = path.startsWith('/api/index/') ? ('indexing' as const) : ('client' as const)
  return { api, method, path }
}

const nameOf = (path: string) => path.replace('/{id}', '').split('/').at(-1)

const fields = ({ operation, place, announced, removal }: Group, rows: readonly Row[]): Entry[] =>
  rows.map(({ id, field, ...rest }) => {
    const of = split(operation)
    return {
      id: id ?? `${nameOf(of.path)}.${field}`,
      kind: 'field',
      ...of,
      field,
      place,
      ...rest,
      announced,
      removal,
    }
  })

const endpoint = (operation: string, announced: string, reason: string): Entry => {
  const of = split(operation)
  return { id: `${nameOf(of.path)}`, kind: 'endpoint', ...of, reason, announced, removal: october }
}

const supportKnows = 'no replacement: contact support for alternatives'

/** The schedule as published: 23 fields and 5 endpoints. Source: contract, sections 9.1 and 9.2. */
export const publishedSchedule: Schedule = [
  ...fields(
    { operation: 'POST /rest/api/v1/insights', place: anywhere, announced: '2026-05-13', removal: january },
    [{ field: 'searchSessionSatisfaction', advice: supportKnows }],
  ),
  ...fields(
    { operation: 'POST /rest/api/v1/getanswer', place: topLevel, announced: '2026-05-07', removal: january },
    [{ field: 'trackingToken', replacement: 'answer.trackingToken' }],
  ),
  ...fields(
    {
      operation: 'POST /rest/api/v1/getcollection',
      place: topLevel,
      announced: '2026-05-07',
      removal: january,
    },
    [{ field: 'trackingToken', replacement: 'collection.trackingToken' }],
  ),
  // A chat's messages are of the request as well as of the response; fragments, which replace, are parts of a message.
  ...fields(
    {
      operation: 'POST /rest/api/v1/chat',
      place: { ...anywhere, holders: ['messages', 'message'] },
      announced: '2026-02-06',
      removal: october,
    },
    [
      {
        field: 'citations',
        replacement:
          'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)',
      },
    ],
  ),
  ...fields(
    {
      operation: 'POST /api/index/v1/indexemployee',
      place: { ...anywhere, holders: ['employee'] },
      announced: '2026-02-05',
      removal: october,
    },
    [{ field: 'location' }],
  ),
  // What creates an announcement takes these fields and answers with the announcement made of them.
  ...fields(
    {
      operation: 'POST /rest/api/v1/createannouncement',
      place: { ...anywhere, holders: ['announcement'] },
      announced: '2026-02-05',
      removal: october,
    },
    [
      { field: 'isNegated', replacement: 'relationType' },
      { field: 'documents' },
      { field: 'boardId', advice: 'no replacement', reason: 'Answer Boards are no longer supported' },
      { field: 'snippet', replacement: 'text' },
      { field: 'inviteTime', replacement: 'ChannelInviteInfo' },
      { field: 'reminderTime', replacement: 'ChannelInviteInfo' },
      { field: 'reactions', replacement: 'reacts' },
      { field: 'role', replacement: 'permissions' },
    ],
  ),
  // A GET sends no body (RFC 9110 9.3.1), so these are of the response.
  ...fields(
    {
      operation: 'GET /rest/api/v1/governance/data/policies/{id}',
      place: { in: 'response', depth: 'any', holders: ['policy'] },
      announced: '2026-02-05',
      removal: october,
    },
    [
      {
        field: 'sensitiveInfoTypes',
        id: 'policies.sensitiveInfoTypes.contentOptions',
        replacement: 'sensitiveContentOptions',
      },
      {
        field: 'sensitiveInfoTypes',
        id: 'policies.sensitiveInfoTypes.customExpressions',
        replacement: 'customSensitiveExpressions',
      },
      { field: 'sensitiveTerms', replacement: 'customSensitiveExpressions' },
      { field: 'sensitiveRegexes', replacement: 'customSensitiveExpressions' },
      { field: 'likelihoodThreshold' },
      { field: 'urlGreenlist' },
      { field: 'datasources', replacement: 'datasourceInstances' },
      { field: 'externalSharingOptions', replacement: 'broadSharingOptions' },
      { field: 'enabled' },
      { field: 'anyoneWithLinkEnabled' },
    ],
  ),
  endpoint('POST /api/index/v1/bulkindexemployees', '2026-02-03', 'deprecated'),
  endpoint('POST /api/index/v1/getdocumentcount', '2026-02-03', 'deprecated'),
  endpoint('POST /api/index/v1/getdocumentstatus', '2026-02-03', 'deprecated'),
  endpoint('POST /api/index/v1/getusercount', '2026-02-03', 'deprecated'),
  endpoint(
    'POST /rest/api/v1/listanswers',
    '2026-01-21',
    'answer boards have been removed; the endpoint no longer serves a purpose',
  ),
]
