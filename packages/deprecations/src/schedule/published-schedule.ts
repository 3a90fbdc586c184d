// The service's published schedule: every row of the contract's sections 9.1 and 9.2, in its order, nothing else.
// Where the contract does not say whether a field is of the request or the response, it is `either`: better found than missed.
// What an operation is about may be in a member of its name (`answer`, `collection` in 9.1): its members count as the body's.
import type { Entry, FieldEntry, Schedule } from './schedule.ts'

type Row = Partial<Pick<FieldEntry, 'id' | 'replacement' | 'advice' | 'reason'>> & { field: string }
type Place = FieldEntry['place']
type Group = Pick<FieldEntry, 'place' | 'announced' | 'removal'>

const operation = (name: string) => {
  const [method = '', path = ''] = name.split(' ')
  const api = path.startsWith('/api/index/') ? ('indexing' as const) : ('client' as const)
  return { api, method, path }
}

const idOf = (path: string) => path.replace('/{id}', '').split('/').at(-1) ?? ''

const fields = (name: string, { place, ...dates }: Group, rows: readonly Row[]): Entry[] => {
  const of = operation(name)
  return rows.map(({ field, id = `${idOf(of.path)}.${field}`, ...rest }) => ({
    id,
    kind: 'field',
    ...of,
    field,
    place,
    ...rest,
    ...dates,
  }))
}

const endpoint = (name: string, announced: string, reason: string): Entry => {
  const of = operation(name)
  return { id: idOf(of.path), kind: 'endpoint', ...of, reason, announced, removal: '2026-10-15' }
}

const anywhere: Place = { in: 'either', depth: 'any' }
const about = (...holders: string[]): Place => ({ ...anywhere, holders })
const topLevel: Place = { in: 'either', depth: 'top' }
// A GET sends no body (RFC 9110 9.3.1), so these are of the response.
const ofResponse: Place = { in: 'response', depth: 'any', holders: ['policy'] }

const fifthOfFebruary = { announced: '2026-02-05', removal: '2026-10-15' }
const seventhOfMay = { announced: '2026-05-07', removal: '2027-01-15' }

/** The schedule as published: 23 fields and 5 endpoints. Source: contract, sections 9.1 and 9.2. */
export const publishedSchedule: Schedule = [
  ...fields(
    'POST /rest/api/v1/insights',
    { place: anywhere, announced: '2026-05-13', removal: '2027-01-15' },
    [{ field: 'searchSessionSatisfaction', advice: 'no replacement: contact support for alternatives' }],
  ),
  ...fields('POST /rest/api/v1/getanswer', { place: topLevel, ...seventhOfMay }, [
    { field: 'trackingToken', replacement: 'answer.trackingToken' },
  ]),
  ...fields('POST /rest/api/v1/getcollection', { place: topLevel, ...seventhOfMay }, [
    { field: 'trackingToken', replacement: 'collection.trackingToken' },
  ]),
  // A chat's messages are of the request as well as of the response; fragments, which replace, are parts of a message.
  ...fields(
    'POST /rest/api/v1/chat',
    { place: about('messages', 'message'), announced: '2026-02-06', removal: '2026-10-15' },
    [
      {
        field: 'citations',
        replacement:
          'ChatMessageFragment.citation and ChatMessageCitation.referenceRanges (inline citations)',
      },
    ],
  ),
  ...fields('POST /api/index/v1/indexemployee', { place: about('employee'), ...fifthOfFebruary }, [
    { field: 'location' },
  ]),
  // What creates an announcement takes these fields and answers with the announcement made of them.
  ...fields('POST /rest/api/v1/createannouncement', { place: about('announcement'), ...fifthOfFebruary }, [
    { field: 'isNegated', replacement: 'relationType' },
    { field: 'documents' },
    { field: 'boardId', advice: 'no replacement', reason: 'Answer Boards are no longer supported' },
    { field: 'snippet', replacement: 'text' },
    { field: 'inviteTime', replacement: 'ChannelInviteInfo' },
    { field: 'reminderTime', replacement: 'ChannelInviteInfo' },
    { field: 'reactions', replacement: 'reacts' },
    { field: 'role', replacement: 'permissions' },
  ]),
  ...fields('GET /rest/api/v1/governance/data/policies/{id}', { place: ofResponse, ...fifthOfFebruary }, [
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
  ]),
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
