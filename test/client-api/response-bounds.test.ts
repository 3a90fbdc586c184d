// An answer of the service that is far too large costs no more than its reading: names and identifiers have an end, and
// nothing that was cut off ever counts as connected.
import { expect, it } from 'vitest'
import { readCheckResponse, readSearchResponse } from '../../src/client-api/responses.ts'

const entry = (datasourceInstance: string, more: object = {}) => ({
  datasourceInstance,
  displayName: datasourceInstance,
  authStatus: 'AWAITING_AUTH',
  authUrlRelativePath: `/auth/datasource/${encodeURIComponent(datasourceInstance)}?token=t`,
  ...more,
})
const list = (entries: object[]) => ({ unauthorizedDatasourceInstances: entries })
const many = (count: number) => Array.from({ length: count }, (_, index) => entry(`app${index}_1`))
const read = (entries: object[]) => readCheckResponse(list(entries))

it('an identifier of 200 characters is kept as it is', () => {
  const instance = `${'a'.repeat(198)}_1`
  expect(read([entry(instance)])).toMatchObject([{ instance, status: 'awaiting' }])
})

it('a longer identifier is cut, can’t be connected, and hides no other app', () => {
  const found = read([entry('a'.repeat(900_000)), entry('slack_1')]) ?? []
  expect(found).toHaveLength(2)
  expect(found[0]?.instance.length).toBeLessThanOrEqual(200)
  expect(found[0]).toMatchObject({ status: 'attention', authUrlRelativePath: undefined })
  expect(found[1]).toMatchObject({ instance: 'slack_1', status: 'awaiting' })
  expect(JSON.stringify(found).length).toBeLessThan(1_000)
})

it('a longer identifier is the same in every response, and differs from one with the same beginning', () => {
  const [one, other] = ['a'.repeat(900) + '1', 'a'.repeat(900) + '2']
  const first = read([entry(one), entry(other)]) ?? []
  expect(new Set(first.map(({ instance }) => instance)).size).toBe(2)
  expect(read([entry(one), entry(other)])).toEqual(first)
})

const nameFor = (displayName: string) => read([entry('slack_1', { displayName })])?.[0]?.name ?? ''

it.each([
  ['of 900,000 letters', 'a'.repeat(900_000)],
  ['of emoji of many parts', '👩‍👩‍👧‍👦'.repeat(400)],
  ['of letters with marks', 'é'.normalize('NFD').repeat(400)],
  ['of one letter with very many marks', `a${'\u0301'.repeat(100_000)}`],
])('a name %s is cut between two characters that people see', (_what, displayName) => {
  const name = nameFor(displayName)
  expect(name.length).toBeLessThanOrEqual(201)
  expect(name).toMatch(/…$/u)
  expect(name.isWellFormed()).toBe(true)
  const body = name.slice(0, -1)
  const segments = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  const whole = segments(displayName.slice(0, 2_000))
  // One letter with marks without end has no other place to be cut.
  const isOne = whole.length === 1
  expect(isOne ? whole : segments(body)).toEqual(isOne ? whole : whole.slice(0, segments(body).length))
})

it('a name is cut between two words', () => {
  expect(nameFor(`${'a'.repeat(150)} ${'b'.repeat(90)}`)).toBe(`${'a'.repeat(150)}…`)
  expect(nameFor(`${'a'.repeat(199)} b${'c'.repeat(90)}`)).toBe(`${'a'.repeat(199)}…`)
  expect(nameFor(`${'a'.repeat(20)} ${'b'.repeat(300)}`)).toBe(`${'a'.repeat(20)} ${'b'.repeat(179)}…`)
})

it('a name of 200 characters is kept whole', () => {
  expect(nameFor('a'.repeat(200))).toBe('a'.repeat(200))
})

it('a list of a thousand is read, and one that is longer is no answer', () => {
  expect(read(many(1_000))).toHaveLength(1_000)
  expect(read(many(1_001))).toBeUndefined()
})

it('a search response is limited in the number and length of its results', () => {
  const results = Array.from({ length: 5_000 }, (_, index) => ({
    title: `${index} ${'t'.repeat(1_000)}`,
    url: `https://wiki.example/${'u'.repeat(5_000)}`,
    snippet: 's'.repeat(50_000),
  }))
  const found = readSearchResponse({ results })?.results ?? []
  expect(found.length).toBeLessThanOrEqual(50)
  expect(JSON.stringify(found).length).toBeLessThan(100_000)
})
