// The operations that the contract names. It shows the first two (4.1, 4.2); the others it names only in its schedule of
// deprecations (4.3), so their answers bear the fields that the schedule names, and nothing else.
import { randomUUID } from 'node:crypto'

type Operation = {
  /** Method and path template, as in the schedule. */
  operation: string
  /** Everything the answer can bear; removed fields are taken out later. Absent for the operations that are shown. */
  answer?: () => unknown
}

const announcement = {
  text: 'Welcome to Acme',
  relationType: 'EQUALS',
  ChannelInviteInfo: {},
  reacts: [],
  permissions: {},
  isNegated: false,
  documents: [],
  boardId: 1,
  snippet: 'Welcome to Acme',
  inviteTime: '2026-01-05T09:00:00Z',
  reminderTime: '2026-01-06T09:00:00Z',
  reactions: [],
  role: 'VIEWER',
}

const policy = {
  sensitiveContentOptions: {},
  customSensitiveExpressions: [],
  datasourceInstances: ['slack_1'],
  broadSharingOptions: {},
  sensitiveInfoTypes: ['EMAIL_ADDRESS'],
  sensitiveTerms: ['confidential'],
  sensitiveRegexes: ['ACME-[0-9]+'],
  likelihoodThreshold: 'LIKELY',
  urlGreenlist: ['https://acme.example/'],
  datasources: ['slack'],
  externalSharingOptions: {},
  enabled: true,
  anyoneWithLinkEnabled: false,
}

const citations = [{ referenceRanges: [{ startIndex: 0, endIndex: 5 }] }]
const message = { fragments: [{ citation: citations[0] }], citations }

const client = (name: string, answer?: () => unknown): Operation => ({
  operation: `POST /rest/api/v1/${name}`,
  ...(answer && { answer }),
})
const indexing = (name: string): Operation => ({
  operation: `POST /api/index/v1/${name}`,
  answer: () => ({}),
})

/** By the name that `answers`, `latencyMs`, scopes and the journal have for them. */
export const operations = {
  checkdatasourceauth: client('checkdatasourceauth'),
  search: client('search'),
  insights: client('insights', () => ({ searchSessionSatisfaction: 0.87 })),
  getanswer: client('getanswer', () => withTrackingToken('answer')),
  getcollection: client('getcollection', () => withTrackingToken('collection')),
  chat: client('chat', () => ({ messages: [message] })),
  createannouncement: client('createannouncement', () => announcement),
  listanswers: client('listanswers', () => ({})),
  policies: { operation: 'GET /rest/api/v1/governance/data/policies/{id}', answer: () => policy },
  indexemployee: indexing('indexemployee'),
  bulkindexemployees: indexing('bulkindexemployees'),
  getdocumentcount: indexing('getdocumentcount'),
  getdocumentstatus: indexing('getdocumentstatus'),
  getusercount: indexing('getusercount'),
} satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

const byName = new Map<string, Operation>(Object.entries(operations))

/** The operation of a name; undefined for anything else that the service answers. */
export const operationNamed = (name: string): Operation | undefined => byName.get(name)

/** The name of the operation at a path, for every method. */
export function nameAt(path: string): string | undefined {
  const parts = path.split('/')
  const fits = (template: string[]) =>
    template.length === parts.length &&
    template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  return [...byName].find(([, { operation }]) => fits(operation.replace(/^\w+ /, '').split('/')))?.[0]
}

function withTrackingToken(holder: string) {
  const trackingToken = randomUUID()
  return { [holder]: { trackingToken }, trackingToken }
}
