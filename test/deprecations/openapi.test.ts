// An OpenAPI document says what a client was built for: every way in which one can say it is read, or reported as not read.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deprecations } from '../helpers/deprecations.ts'
import { check, idsOf, type Report } from './checking.ts'

const citing = { properties: { citations: { type: 'array' } } }
const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const said = body({ properties: { text: {} } })
const answering = (schema: unknown) => ({ requestBody: said, responses: { 200: body(schema) } })
const api = (paths: unknown, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', paths, ...more }, null, 1)
const chat = (schema: unknown, more: object = {}) =>
  api({ '/rest/api/v1/chat': { post: answering(schema) } }, more)

const reportOf = async (content: string) => (await check(content, 'openapi.json')).report

describe('base addresses', () => {
  const operation = answering(citing)
  const server = (url: string, variables?: object) => ({ servers: [{ url, variables }] })
  test.each([
    ['of the document', api({ '/v1/chat': { post: operation } }, server('https://a/rest/api'))],
    ['of a path', api({ '/v1/chat': { ...server('/t/rest/api/'), post: operation } })],
    [
      'of an operation',
      api({ '/v1/chat': { post: { ...operation, ...server('/rest/api') } } }, server('/x')),
    ],
    [
      'with variables',
      api(
        { '/chat': { post: operation } },
        server('{root}/{version}', {
          root: { default: 'https://a/rest/api' },
          version: { default: 'v2', enum: ['v2', 'v1'] },
        }),
      ),
    ],
  ])('%s count', async (_what, content) => {
    expect(idsOf((await reportOf(content)).inUse)).toEqual(['chat.citations'])
  })

  test('a path whose segment is left open may be the one on the schedule', async () => {
    const content = api({ '/rest/api/{version}/chat': { post: operation } })
    expect(idsOf((await reportOf(content)).mayBeInUse)).toEqual(['chat.citations'])
  })
})

describe('schemas', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  test.each([
    ['allOf', chat({ allOf: [citing] })],
    [
      'oneOf in a reference',
      chat(ref('A'), { components: { schemas: { A: { oneOf: [ref('B')] }, B: citing } } }),
    ],
    ['a member beside a reference', chat({ ...ref('A'), ...citing }, { components: { schemas: { A: {} } } })],
    ['required without properties', chat({ required: ['citations'] })],
    [
      'a discriminator without a mapping',
      chat(ref('A'), {
        components: {
          schemas: {
            A: { properties: { type: {} }, discriminator: { propertyName: 'type' } },
            B: { allOf: [ref('A'), {}] },
            C: { allOf: [ref('B'), citing] },
          },
        },
      }),
    ],
    [
      'a discriminator',
      chat(
        { discriminator: { propertyName: 'type', mapping: { a: '#/components/schemas/A', b: 'B' } } },
        { components: { schemas: { A: {}, B: citing } } },
      ),
    ],
    ['dependentSchemas', chat({ dependentSchemas: { a: citing } })],
    ['an array of messages', chat({ properties: { messages: { items: citing } } })],
    [
      'a response in components',
      api(
        { '/rest/api/v1/chat': { post: { responses: { 200: { $ref: '#/components/responses/A' } } } } },
        { components: { responses: { A: body(citing) } } },
      ),
    ],
    [
      'a request body in components',
      api(
        { '/rest/api/v1/chat': { post: { requestBody: { $ref: '#/components/requestBodies/A' } } } },
        { components: { requestBodies: { A: body(citing) } } },
      ),
    ],
    [
      'a path item in components',
      api(
        { '/rest/api/v1/chat': { $ref: '#/components/pathItems/A' } },
        { components: { pathItems: { A: { post: answering(citing) } } } },
      ),
    ],
    ['an anchor', chat({ $ref: '#x' }, { components: { schemas: { A: { $anchor: 'x', ...citing } } } })],
  ])('%s: the field is declared', async (_what, content) => {
    const { inUse, faults } = await reportOf(content)
    expect([faults, idsOf(inUse)]).toEqual([0, ['chat.citations']])
  })

  test.each([
    ['a pattern of names', chat({ patternProperties: { '^cit': {} } })],
    ['a name that is somewhere deeper', chat({ properties: { a: citing } })],
    ['a value of any name', chat({ additionalProperties: citing })],
    ['a value of a pattern', chat({ patternProperties: { '^x-': citing } })],
  ])('%s: the field may be declared', async (_what, content) => {
    const { inUse, mayBeInUse, faults } = await reportOf(content)
    expect([faults, inUse, idsOf(mayBeInUse)]).toEqual([0, [], ['chat.citations']])
  })

  test('what builds on a schema beside the one that is sent is not declared, and its lost references do not matter', async () => {
    const heir = (...parts: unknown[]) => ({ allOf: [ref('A'), ...parts] })
    const A = { properties: { type: {} }, discriminator: { propertyName: 'type' } }
    const schemas = { A, B: heir(), C: heir(citing), D: { allOf: [ref('E')] } }
    const { inUse, mayBeInUse, faults } = await reportOf(chat(ref('B'), { components: { schemas } }))
    expect([inUse, mayBeInUse, faults]).toEqual([[], [], 0])
  })

  test('what is excluded is not declared', async () => {
    const { inUse, mayBeInUse } = await reportOf(chat({ not: { required: ['citations'] } }))
    expect([inUse, mayBeInUse]).toEqual([[], []])
  })

  test('a field inside a replacement is not the deprecated one, by name of the member or of the schema', async () => {
    const invite = { properties: { inviteTime: {}, reminderTime: {} } }
    const properties = {
      invitation: ref('ChannelInviteInfo'),
      channelInviteInfo: invite,
      permissions: { items: { properties: { role: {} } } },
    }
    const post = { requestBody: body({ properties }), responses: { 200: said } }
    const content = api(
      { '/rest/api/v1/createannouncement': { post } },
      { components: { schemas: { ChannelInviteInfo: invite } } },
    )
    expect(await reportOf(content)).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })

  test('forms of OpenAPI 2 are read', async () => {
    const post = { parameters: [{ in: 'formData', name: 'boardId', type: 'integer' }], responses: {} }
    const content = { swagger: '2.0', basePath: '/rest/api/v1', paths: { '/createannouncement': { post } } }
    expect(idsOf((await reportOf(JSON.stringify(content))).inUse)).toEqual(['createannouncement.boardId'])
  })
})

/** Checks the first of these files, in a folder of its own. */
const checkFiles = async (files: Record<string, unknown>, ...args: string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-openapi-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 1),
    )
  }
  const ran = await deprecations(['check', join(folder, Object.keys(files)[0] ?? ''), '--json', ...args])
  return { ...ran, folder, report: JSON.parse(ran.out) as Report }
}

describe('references to other files', () => {
  test.each([
    ['JSON', { 'a.json': chat({ $ref: './s/x.json#/A' }), 's/x.json': { A: { $ref: '#/B' }, B: citing } }],
    [
      'YAML',
      { 'a.json': chat({ $ref: 's/x.yaml#/A' }), 's/x.yaml': 'A:\n  properties:\n    citations: {}\n' },
    ],
    ['a whole file', { 'a.json': chat({ $ref: 'x.json' }), 'x.json': citing }],
    [
      'a path in a file that leads back',
      {
        'a.json': api(
          { '/rest/api/v1/chat': { $ref: 'p/chat.json' } },
          { components: { schemas: { A: citing } } },
        ),
        'p/chat.json': { post: answering({ $ref: '../a.json#/components/schemas/A' }) },
      },
    ],
    [
      'files in a circle',
      {
        'a.json': chat({ $ref: 'x.json#/A' }),
        'x.json': { A: { allOf: [{ $ref: 'y.json#/B' }] } },
        'y.json': { B: { allOf: [{ $ref: 'x.json#/A' }, citing] } },
      },
    ],
  ])('%s is followed', async (_what, files: Record<string, unknown>) => {
    const { report, err } = await checkFiles(files)
    expect([err, idsOf(report.inUse)]).toEqual(['', ['chat.citations']])
  })

  test('a field is told in the file and line where it is', async () => {
    const files = {
      'a.json': chat({ $ref: './x.yaml#/A' }),
      'x.yaml': 'A:\n  properties:\n    citations: {}\n',
    }
    const { report, folder } = await checkFiles(files)
    expect(report.inUse[0]?.places).toMatchObject([
      { file: join(folder, 'x.yaml'), line: 3, pointer: '/A/properties/citations' },
    ])
  })

  test.each([
    ['that is not there', 'missing.json#/A'],
    ['outside the folder', '../../../../etc/hostname'],
    ['outside the folder by an encoded address', '%2e%2e/%2e%2e/x.json'],
    ['on the network', 'https://SECRET.example/x.json#/A'],
    ['of the machine', 'file:///etc/hostname'],
    ['by a link out of the folder', 'link.json'],
    ['that is broken', 'broken.json#/A'],
    ['to a place that is not there', 'x.json#/Nowhere'],
    ['to a place in the document that is not there', '#/components/schemas/Nowhere'],
  ])('one %s is reported, and the field may be declared', async (_what, $ref) => {
    const files = { 'a/a.json': chat({ $ref }), 'a/broken.json': '{"A": {', 'a/x.json': { A: {} } }
    const outside = join(mkdtempSync(join(tmpdir(), 'onramp-outside-')), 'x.json')
    writeFileSync(outside, JSON.stringify(citing))
    const folder = mkdtempSync(join(tmpdir(), 'onramp-openapi-'))
    mkdirSync(join(folder, 'a'))
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    symlinkSync(outside, join(folder, 'a/link.json'))
    const run = async (...args: string[]) => deprecations(['check', join(folder, 'a/a.json'), ...args])
    const { code, out, err } = await run('--json')
    const { inUse, mayBeInUse, faults } = JSON.parse(out) as Report
    expect([code, inUse, idsOf(mayBeInUse), faults]).toEqual([3, [], ['chat.citations'], 1])
    expect(err).toMatch(
      /a\.json:\d+: the reference at \/paths\/~1rest~1api~1v1~1chat\/post\/responses\/200\/content/,
    )
    expect(err).not.toContain('SECRET')
    expect((await run('--fail-on', 'use')).code).toBe(1)
    expect((await run()).out).not.toContain('Nothing deprecated is in use')
  })

  test('a path that cannot be read may be an operation of the schedule', async () => {
    const { report, code } = await checkFiles({
      'a.json': api({ '/rest/api/v1/listanswers': { $ref: 'missing.json' }, '/x': { $ref: 'missing.json' } }),
    })
    expect([code, idsOf(report.mayBeInUse), report.faults]).toEqual([3, ['listanswers'], 1])
  })

  test('references that no operation of the schedule leads to do not matter', async () => {
    const { code, err } = await checkFiles({
      'a.json': api({ '/search': { post: answering({ $ref: 'https://a/x.json' }) } }),
    })
    expect([code, err]).toEqual([0, ''])
  })

  test('a document on standard input has no neighbours', async () => {
    const { code, err } = await deprecations(['check', '-'], { stdin: chat({ $ref: 'package.json' }) })
    expect(code).toBe(3)
    expect(err).toContain('the reference at')
  })
})

describe('a document that makes work', () => {
  test('whose pattern would run for ever is not run: it may match', async () => {
    const began = performance.now()
    const report = await reportOf(chat({ patternProperties: { [`^(${'(c+)+'.repeat(3)})+$`]: {} } }))
    expect(idsOf(report.mayBeInUse)).toEqual(['chat.citations'])
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('of thousands of schemas that all lead to each other is given up on, and says so', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `S${index}`)
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    )
    const schemas = Object.fromEntries(names.map((name) => [name, { properties }]))
    const content = JSON.stringify({
      ...(JSON.parse(chat({ $ref: '#/components/schemas/S0' })) as object),
      components: { schemas },
    })
    const { report, err } = await check(content, 'openapi.json')
    expect(idsOf(report.mayBeInUse)).toEqual(['chat.citations'])
    expect(err).toContain('leads to more schemas than are looked through')
  })
})
