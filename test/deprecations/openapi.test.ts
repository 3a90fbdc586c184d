// OpenAPI documents as evidence of a client's use. Unspecified or unreadable parts may be anything.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { deprecations } from '../helpers/deprecations.ts'
import { check, idsOf, outcome, type Report } from './checking.ts'

const citing = { properties: { citations: { type: 'array' } } }
const plain = { properties: { text: {} } }
const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const takingAny = (content: object) => ({ requestBody: { content }, responses: { 200: body(plain) } })
const taking = (schema: unknown) => takingAny(body(schema).content)
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const api = (paths: unknown, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', paths, ...more }, null, 1)
const posting = (post: object, more: object = {}) => api({ '/rest/api/v1/chat': { post } }, more)
const chat = (schema: unknown, schemas: object = {}) => posting(taking(schema), { components: { schemas } })
/** A value on which String() fails. */
const MUTE = { toString: 0 }
const MUTE_ALL = { oneOf: [{ type: MUTE }], required: [MUTE], properties: { a: { $ref: MUTE } } }
/** Nine times nine times nine …, by aliases. */
const bomb = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, names) => {
  const below = Array(9)
    .fill(`*${names[index - 1] ?? 'a'}`)
    .join(',')
  return `${name}: &${name} [${below}]\n`
})
const used = [2, ['chat.citations'], []]
const possible = [3, [], ['chat.citations']]

it('fields and operations of a YAML description are found with their lines', async () => {
  const yaml = `# made by hand
openapi: 3.1.0
servers:
  - url: https://{instance}.example/rest/api/v1
paths:
  /listanswers:
    post: {}
  /chat:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/ChatRequest' }
components:
  schemas:
    ChatRequest:
      properties:
        messages: { type: array, items: { $ref: '#/components/schemas/ChatMessage' } }
    ChatMessage:
      properties:
        replies: { type: array, items: { $ref: '#/components/schemas/ChatMessage' } }
        citations: { type: array }
`
  const { code, report } = await check(yaml, 'openapi.yaml')
  expect([code, report.requests]).toEqual([2, 2])
  expect(report.inUse).toMatchObject([
    {
      id: 'chat.citations',
      confidence: 'exact',
      places: [{ line: 22, pointer: '/components/schemas/ChatMessage/properties/citations' }],
    },
    { id: 'listanswers', confidence: 'exact', places: [{ line: 7, pointer: '/paths/~1listanswers/post' }] },
  ])
})

const at = (url: string, variables?: object) => ({ servers: [{ url, variables }] })
const root = { r: { default: '/rest/api' } }
const inOperation = { '/chat': { post: { ...taking(citing), ...at('{r}/v1', root) } } }
it.each([
  ['of the document', api({ '/v1/chat': { post: taking(citing) } }, at('https://a/rest/api'))],
  ['of a path', api({ '/v1/chat': { ...at('/t/rest/api/'), post: taking(citing) } }, at('/x'))],
  ['of an operation, with variables', api(inOperation)],
])('the base address %s counts', async (_title, content) => {
  expect(await outcome(content, 'a.json')).toEqual(used)
})

const parts = { allOf: [plain, { oneOf: [ref('A'), plain] }] }
const components = { pathItems: { P: { post: { requestBody: ref('B') } } }, schemas: { B: body(citing) } }
const inPath = { $ref: '#/components/pathItems/P' }
it.each<[string, string]>([
  ['a property', chat(citing)],
  ['a part of a schema', chat(parts, { A: { anyOf: [citing, plain] } })],
  ['a keyword beside a reference', chat({ ...ref('A'), ...citing }, { A: plain })],
  ['a required member', chat({ ...plain, required: ['citations'] })],
  ['a condition', chat({ ...plain, if: plain, else: citing, dependentSchemas: { a: citing } })],
  ['a list of messages', chat({ properties: { messages: { items: citing } } })],
  ['a request body and a path in components', api({ '/rest/api/v1/chat': inPath }, { components })],
])('the field is declared by %s', async (_title, content) =>
  expect(await outcome(content, 'a.json')).toEqual(used),
)

it('a response that declares the field may be a use', async () => {
  const content = posting({ requestBody: body(plain), responses: { 200: body(citing) } })
  const { code, report } = await check(content, 'a.json')
  expect([code, report.inUse]).toEqual([3, []])
  expect(report.mayBeInUse).toMatchObject([{ id: 'chat.citations', confidence: 'sent' }])
})

const citingQuery = [{ in: 'query', name: 'citations' }]
it.each<[string, string]>([
  ['a name at a deeper level', chat({ properties: { a: citing } })],
  ['a member of any name', chat({ ...plain, additionalProperties: citing })],
  ['a body without a schema', posting({ responses: { 200: {} } })],
  ['one of two types without a schema', posting(takingAny({ 'text/plain': {}, ...body(plain).content }))],
  ['an operation without responses', posting({ requestBody: body(plain) })],
  ['an empty schema', chat({ type: 'object' })],
  ['a string', chat({ type: 'string' })],
  ['an empty one of several schemas', chat({ oneOf: [plain, { type: 'object' }] })],
  ['other members of a type', chat({ ...plain, additionalProperties: { type: 'string' } })],
  ['messages without a description', chat({ properties: { messages: { type: 'array' } } })],
  ['allowed further members', chat({ ...plain, additionalProperties: true })],
  ['a pattern', chat({ ...plain, patternProperties: { [`^(${'(c+)+'.repeat(3)})+$`]: {} } })],
  ['a discriminator that names no schemas', chat({ ...plain, discriminator: { propertyName: 'type' } })],
  ['a dynamic reference', chat({ ...plain, items: { $dynamicRef: '#x' } })],
  ['an example', chat({ ...plain, example: { messages: [{ citations: [] }] } })],
  ['a parameter', posting({ ...taking(plain), parameters: citingQuery })],
  ['a parameter of the path', api({ '/rest/api/v1/chat': { post: taking(plain), parameters: citingQuery } })],
  ['a type, name or reference that can’t become text', chat({ ...plain, ...MUTE_ALL })],
])('the field may be declared by %s', async (_title, content) => {
  expect(await outcome(content, 'a.json')).toEqual(possible)
})

const described = { allOf: [ref('A')], title: 'citations' }
it.each<[string, string]>([
  ['everything is described', chat(described, { A: { properties: { a: ref('A') } } })],
  ['a response is empty by its status', posting({ requestBody: body(plain), responses: { 204: {} } })],
  ['the operation is not on the schedule', api({ '/search': { post: taking({ $ref: 'https://a/x' }) } })],
])('no item is in use where %s', async (_title, content) => {
  expect(await outcome(content, 'a.json')).toEqual([0, [], []])
})

it('a field inside a replacement, by member or schema name, isn’t the deprecated one', async () => {
  const properties = { invitation: ref('ChannelInviteInfo'), permissions: { properties: { role: {} } } }
  const post = { requestBody: body({ properties }), responses: { 200: body(plain) } }
  const schemas = { ChannelInviteInfo: { properties: { inviteTime: {} } } }
  const content = api({ '/rest/api/v1/createannouncement': { post } }, { components: { schemas } })
  expect(await outcome(content, 'a.json')).toEqual([0, [], []])
})

/** Writes files into a new folder and checks `a/a.json`. */
const checkFiles = async (files: Record<string, unknown>) => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp openapi-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  symlinkSync(join(folder, 'outside.json'), join(folder, 'a/link.json'))
  const ran = await deprecations(['check', join(folder, 'a/a.json'), '--json'])
  return { ...ran, folder, report: JSON.parse(ran.out) as Report }
}

it('references to files in the document’s folder are followed, and findings name the file', async () => {
  const { report, err, folder } = await checkFiles({
    'a/a.json': chat({ $ref: './s%20s/x.yaml#/A' }, { C: citing }),
    'a/s s/x.yaml':
      "A: { allOf: [{ $ref: '#/B' }, { $ref: '../a.json#/components/schemas/C' }] }\nB:\n  properties:\n    citations: {}\n",
  })
  expect([err, idsOf(report.inUse)]).toEqual(['', ['chat.citations']])
  const file = join(folder, 'a/s s/x.yaml')
  const place: unknown = expect.objectContaining({ file, line: 4, pointer: '/B/properties/citations' })
  expect(report.inUse[0]?.places).toContainEqual(place)
})

it.each([
  ['a missing file', 'missing.json#/A'],
  ['a file outside the folder', '../outside.json'],
  ['a file outside the folder, encoded', '%2e%2e/outside.json'],
  ['the network', 'https://SECRET.example/x.json#/A'],
  ['a file of the system', 'file:///etc/hostname'],
  ['a link out of the folder', 'link.json'],
  ['a broken file', 'broken.json#/A'],
  ['a missing part of a file', 'x.json#/Nowhere'],
  ['a missing part of the document', '#/components/schemas/Nowhere'],
  ['itself', '#/paths/~1rest~1api~1v1~1chat/post/requestBody/content/application~1json/schema'],
])('a reference to %s isn’t followed but reported, and the field may be declared', async (_title, $ref) => {
  const { code, err, report } = await checkFiles({
    'a/a.json': chat({ $ref }),
    'a/broken.json': '{"A": {',
    'a/x.json': { A: {} },
    'outside.json': citing,
  })
  expect([code, report.inUse, idsOf(report.mayBeInUse)]).toEqual(possible)
  expect(report.faults).toBe(1)
  const place = '/paths/~1rest~1api~1v1~1chat/post/requestBody/content'
  expect(err).toContain(`a.json:9: the reference at #${place}`)
  expect(err).not.toContain('SECRET')
})

it('an unreadable path may be in use, and standard input has no neighboring files', async () => {
  const lost = api({ '/rest/api/v1/listanswers': { $ref: 'missing.json' }, '/x': { $ref: 'missing.json' } })
  expect(await outcome(lost, 'a.json')).toEqual([3, [], ['listanswers']])
  const { code, err } = await deprecations(['check', '-'], { stdin: chat({ $ref: 'package.json' }) })
  expect([code, err]).toEqual([3, expect.stringContaining('the reference at')])
})

it('circular schemas are read, up to a limit', async () => {
  const linked = (count: number, linkCount: number, more: object = {}) => {
    const to = (index: number) =>
      Array.from({ length: linkCount }, (_, link) => (index * 7 + link + 1) % count)
    const schema = (index: number) =>
      Object.fromEntries(to(index).map((one, link) => [`p${link}`, ref(`S${one}`)]))
    const names = Array.from({ length: count }, (_, index) => [
      `S${index}`,
      { properties: schema(index), ...more },
    ])
    return Object.fromEntries(names) as object
  }
  expect(await outcome(chat(ref('S0'), linked(1_000, 5)), 'a.json')).toEqual([0, [], []])
  // Each schema counts at two levels.
  const two = linked(230, 230, { additionalProperties: ref('S0') })
  const { report, err } = await check(JSON.stringify(JSON.parse(chat(ref('S0'), two))), 'a.json')
  expect(idsOf(report.mayBeInUse)).toEqual(['chat.citations'])
  expect(err).toContain('leads to more schemas than are looked through')
})

it.each([
  ['openapi: 3.1.0\npaths: [\n', 'a.yaml', /a\.yaml:\d: not valid YAML/],
  ['name: x\n', 'a.yaml', /a\.yaml:1: not an OpenAPI 3 document/],
  ['{"swagger": "2.0", "paths": {}}', 'a.yaml', /a\.yaml:1: not an OpenAPI 3 document/],
  [`openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x]\n${bomb.join('')}`, 'a.yaml', /aliases expand too far/],
])('a document that isn’t OpenAPI 3 is rejected in one line: %j', async (content, name, message) => {
  const { code, err } = await check(content, name, '--input', 'openapi')
  expect([code, err.trim().split('\n').length]).toEqual([1, 1])
  expect(err).toMatch(message)
})
