// Checks an OpenAPI 3 document: the operations that the schedule has, and the fields that their messages declare.
import type { Tally } from '../check/tally.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { isRecord, type Loose } from '../input/json.ts'
import { wholeText, type Source } from '../input/source.ts'
import { endpointsOf, type Scheduled, type Use } from '../matching/matcher.ts'
import { eachDeclared, LOST, type Written } from './declared.ts'
import { listOf, loadDocument, recordOf, type OpenApiDocument } from './document.ts'

const MAX_MIB = 8
const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** The address of a server, with the usual values of its variables. */
const addressOf = (server: unknown): string => {
  const { url, variables } = recordOf(server)
  const valueOf = (written: string, name: string) => {
    const { default: usual } = recordOf(recordOf(variables)[name])
    return typeof usual === 'string' ? usual : written
  }
  const filled = typeof url === 'string' ? url.replaceAll(/\{([^}]*)\}/g, valueOf) : ''
  return filled.replace(/\/*(?:[?#].*)?$/, '')
}

/** A path as it is written, and below each base address: those of the nearest place that has any. */
const pathsOf = (template: string, nearestFirst: readonly unknown[]): string[] => {
  const servers = nearestFirst.map((one) => listOf(recordOf(one).servers)).find((list) => list.length > 0)
  return ['', ...(servers ?? []).map(addressOf)].map((base) => base + template)
}

/** The answers of an operation where it succeeds. Where it names none, they may be anything. */
const answersOf = (operation: Loose, { follow }: OpenApiDocument): Written[] => {
  const responses = recordOf(follow(operation.responses))
  const codes = Object.keys(responses)
  const successes = codes.filter((code) => code.startsWith('2'))
  const chosen = successes.length > 0 ? successes : codes.filter((code) => code === 'default')
  if (chosen.length === 0) return [{ value: operation.responses, holder: operation, name: 'responses' }]
  const withBody = chosen.filter((code) => !/^20[45]$/.test(code))
  return withBody.map((name) => ({ value: responses[name], holder: responses, name }))
}

type Declared = Use & Omit<Written, 'value'>

/** Everything that an operation of the schedule declares. */
const declaredBy = (
  at: Written,
  { fields, ...scheduled }: Scheduled,
  document: OpenApiDocument,
): Declared[] => {
  const { holder, name } = at
  const operation = document.follow(at.value)
  if (!isRecord(operation))
    return scheduled.entries.map((entry) => ({ entry, confidence: 'unread', why: LOST, holder, name }))
  const declared = endpointsOf(scheduled).map((entry): Declared => ({
    entry,
    confidence: 'exact',
    holder,
    name,
  }))
  const parameters = [...listOf(recordOf(holder).parameters), ...listOf(operation.parameters)]
  for (const parameter of parameters.map(document.follow).map(recordOf))
    for (const entry of parameter.in === 'query' ? (fields.request.get(String(parameter.name)) ?? []) : [])
      declared.push({ entry, confidence: 'name', side: 'request', holder: parameter, name: 'name' })
  const messages = {
    // RFC 9110 9.3.1 and 9.3.2: these have no body.
    request: /^(?:get|head)$/.test(name)
      ? []
      : [{ value: operation.requestBody, holder: operation, name: 'requestBody' }],
    response: answersOf(operation, document),
  }
  for (const side of ['request', 'response'] as const)
    for (const message of fields[side].size > 0 ? messages[side] : [])
      eachDeclared(message, document, fields, side, (entry, confidence, { holder, name }, why) =>
        declared.push({ entry, confidence, side, holder, name, ...(why !== undefined && { why }) }),
      )
  return declared
}

/** @throws {InputFault} for a source that is no OpenAPI document of version 3 */
export const checkOpenApi = async (source: Source, tally: Tally): Promise<void> => {
  const document = await loadDocument(await wholeText(source, MAX_MIB), source.name)
  const root = recordOf(document.root)
  if (!String(root.openapi).startsWith('3.'))
    throw new InputFault(source.name, 1, 'not an OpenAPI 3 document: it has no "openapi: 3…"')
  const lost = new Map<string, { line: number | undefined; ids: Set<string> }>()
  const note = ({ holder, name, why, ...use }: Declared, record: string | undefined) => {
    const place = document.placeOf(holder, name) ?? {
      file: source.name,
      pointer: record ?? '',
      line: undefined,
    }
    tally.note(use, { record, ...place })
    if (why === undefined) return
    const isHere = place.file === source.name
    const what = `the reference at ${isHere ? '' : place.file}#${place.pointer} ${why}`
    const { line, ids } = lost.get(what) ?? { line: isHere ? place.line : undefined, ids: new Set() }
    lost.set(what, { line, ids: ids.add(use.entry.id) })
  }
  const scheduledAt = (verb: string, template: string, nearestFirst: readonly unknown[]) =>
    pathsOf(template, [...nearestFirst, root])
      .map((path) => tally.matcher(verb, path))
      .find((scheduled) => scheduled !== undefined)

  const paths = recordOf(document.follow(root.paths))
  for (const [template, written] of Object.entries(paths)) {
    const target = document.follow(written)
    // A path that can't be read may be any operation that the schedule has there.
    for (const verb of target === undefined ? VERBS : [])
      for (const entry of scheduledAt(verb, template, [])?.entries ?? [])
        note({ entry, confidence: 'unread', why: LOST, holder: paths, name: template }, undefined)
    // OpenAPI 3.1 lets a path have operations beside its reference.
    for (const holder of [...new Set([target, written])].filter(isRecord))
      for (const name of VERBS.filter((verb) => verb in holder)) {
        tally.requests += 1
        const scheduled = scheduledAt(name, template, [holder[name], holder])
        if (scheduled === undefined) continue
        const record = document.placeOf(holder, name)?.pointer
        for (const one of declaredBy({ value: holder[name], holder, name }, scheduled, document))
          note(one, record)
      }
  }
  for (const [what, { line, ids }] of lost)
    tally.fault(`${what}; it may declare ${[...ids].join(', ')}`, line)
}
