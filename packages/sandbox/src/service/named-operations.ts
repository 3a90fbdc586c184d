// The operations that the contract names only in its schedule of deprecations (section 4.3). Their shapes are not shown:
// an answer bears the fields that the schedule names, deprecated ones and replacements, and invents nothing else.
import { randomUUID } from 'node:crypto'

type NamedOperation = {
  /** Method and path template, as in the schedule. */
  operation: string
  /** Everything the answer can bear; what has been removed is taken out later. */
  answer: () => unknown
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

const message = {
  fragments: [{ citation: { referenceRanges: [{ startIndex: 0, endIndex: 5 }] } }],
  citations: [{ referenceRanges: [{ startIndex: 0, endIndex: 5 }] }],
}

const nothing = () => ({})

/** By the name that `answers`, `latencyMs`, scopes and the journal have for them. */
export const namedOperations = {
  insights: {
    operation: 'POST /rest/api/v1/insights',
    answer: () => ({ searchSessionSatisfaction: 0.87 }),
  },
  getanswer: {
    operation: 'POST /rest/api/v1/getanswer',
    answer: () => withTrackingToken('answer'),
  },
  getcollection: {
    operation: 'POST /rest/api/v1/getcollection',
    answer: () => withTrackingToken('collection'),
  },
  chat: { operation: 'POST /rest/api/v1/chat', answer: () => ({ messages: [message] }) },
  createannouncement: { operation: 'POST /rest/api/v1/createannouncement', answer: () => announcement },
  listanswers: { operation: 'POST /rest/api/v1/listanswers', answer: nothing },
  policies: { operation: 'GET /rest/api/v1/governance/data/policies/{id}', answer: () => policy },
  indexemployee: { operation: 'POST /api/index/v1/indexemployee', answer: nothing },
  bulkindexemployees: { operation: 'POST /api/index/v1/bulkindexemployees', answer: nothing },
  getdocumentcount: { operation: 'POST /api/index/v1/getdocumentcount', answer: nothing },
  getdocumentstatus: { operation: 'POST /api/index/v1/getdocumentstatus', answer: nothing },
  getusercount: { operation: 'POST /api/index/v1/getusercount', answer: nothing },
} satisfies Record<string, NamedOperation>

export type OperationName = keyof typeof namedOperations

const byName = new Map<string, NamedOperation>(Object.entries(namedOperations))

/** The operation of a name; undefined when the contract's section 4.3 has none. */
export function namedOperation(name: string): NamedOperation | undefined {
  return byName.get(name)
}

/** The name of the operation at a path, whatever the method. */
export function nameAt(path: string): string | undefined {
  return [...byName].find(([, { operation }]) => fits(operation.split(' ')[1] ?? '', path))?.[0]
}

function fits(template: string, path: string): boolean {
  const parts = template.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  )
}

function withTrackingToken(holder: string) {
  const trackingToken = randomUUID()
  return { [holder]: { trackingToken }, trackingToken }
}
