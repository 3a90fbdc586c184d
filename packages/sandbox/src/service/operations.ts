// The operations that the contract names. It shows the first two (4.1, 4.2); the others it names only in its schedule of
// deprecations (4.3), so their answers bear the fields that the schedule names, and nothing else.
import { randomUUID } from 'node:crypto'
import { deprecationSchedule } from './deprecation-schedule.ts'

type Operation = {
  /** Method and path template, as in the schedule. */
  operation: string
  /** Everything the answer can bear; removed fields are taken out later. Absent for the operations that are shown. */
  answer?: (operation: string) => unknown
}

const citations = [{ referenceRanges: [{ startIndex: 0, endIndex: 5 }] }]
const message = { fragments: [{ citation: citations[0] }], citations }

const client = (name: string, answer?: Operation['answer']): Operation => ({
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
  insights: client('insights', everyField),
  getanswer: client('getanswer', () => withTrackingToken('answer')),
  getcollection: client('getcollection', () => withTrackingToken('collection')),
  chat: client('chat', () => ({ messages: [message] })),
  createannouncement: client('createannouncement', everyField),
  listanswers: client('listanswers', () => ({})),
  policies: { operation: 'GET /rest/api/v1/governance/data/policies/{id}', answer: everyField },
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

/** Every field that the schedule names for an operation, and every replacement. */
function everyField(operation: string) {
  const rows = deprecationSchedule.filter((row) => row.operation === operation)
  const names = rows.flatMap(({ field, replacement }) => [field, replacement])
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, 'an example']))
}

function withTrackingToken(holder: string) {
  const trackingToken = randomUUID()
  return { [holder]: { trackingToken }, trackingToken }
}
