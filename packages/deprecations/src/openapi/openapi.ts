// Checks an OpenAPI 3 document: the operations that the schedule has, and the fields that their messages declare.
import type { Tally } from '../check/tally.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { isRecord, listOf, recordOf, textOf, type Loose } from '../input/json.ts'
import { wholeText, type Source } from '../input/source.ts'
import { endpointsOf, type Use } from '../matching/matcher.ts'
import { eachDeclared, LOST, type Written } from './declared.ts'
import { loadDocument, type OpenApiDocument } from './document.ts'

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

const member = (holder: Loose, name: string): Written => ({ value: holder[name], holder, name })

/** The request body and the answers of an operation where it succeeds. What it doesn't name may be anything. */
const messagesOf = (operation: Loose, verb: string, { follow }: OpenApiDocument) => {
  const responses = recordOf(follow(operation.responses))
  const codes = Object.keys(responses)
  const successes = codes.filter((code) => code.startsWith('2'))
  const chosen = successes.length > 0 ? successes : codes.filter((code) => code === 'default')
  const answers = chosen.filter((code) => !/^20[45]$/.test(code)).map((code) => member(responses, code))
  return {
    // RFC 9110 9.3.1 and 9.3.2: these have no body.
    request: /^(?:get|head)$/.test(verb) ? [] : [member(operation, 'requestBody')],
    response: chosen.length === 0 ? [member(operation, 'responses')] : answers,
  }
}

/** @throws {InputFault} for a source that is no OpenAPI document of version 3 */
export const checkOpenApi = async (source: Source, tally: Tally): Promise<void> => {
  const document = await loadDocument(await wholeText(source, MAX_MIB), source.name)
  const { follow, placeOf } = document
  const root = recordOf(document.root)
  if (!textOf(root.openapi).startsWith('3.'))
    throw new InputFault(source.name, 1, 'not an OpenAPI 3 document: it has no "openapi: 3…"')

  const lost = new Map<string, { line: number | undefined; ids: Set<string> }>()
  const note = ({ why, ...use }: Use, { holder, name }: Written, record: string | undefined) => {
    const place = placeOf(holder, name) ?? { file: source.name, pointer: record, line: () => undefined }
    tally.note(use, { record, ...place })
    if (why === undefined) return
    const isHere = place.file === source.name
    const what = `the reference at ${isHere ? '' : place.file}#${place.pointer} ${why}`
    const known = lost.get(what) ?? { line: isHere ? place.line() : undefined, ids: new Set() }
    lost.set(what, { ...known, ids: known.ids.add(use.entry.id) })
  }
  const scheduledAt = (verb: string, template: string, nearestFirst: readonly unknown[]) =>
    pathsOf(template, [...nearestFirst, root])
      .map((path) => tally.matcher(verb, path))
      .find((scheduled) => scheduled !== undefined)

  const checkOperation = (at: Written, template: string) => {
    tally.countRequest()
    const scheduled = scheduledAt(at.name, template, [at.value, at.holder])
    if (scheduled === undefined) return
    const { fields } = scheduled
    const record = placeOf(at.holder, at.name)?.pointer
    const operation = recordOf(follow(at.value))
    for (const entry of endpointsOf(scheduled)) note({ entry, confidence: 'exact' }, at, record)
    const parameters = [...listOf(recordOf(at.holder).parameters), ...listOf(operation.parameters)]
    for (const parameter of parameters.map(follow).map(recordOf))
      for (const entry of fields.request.get(parameter.in === 'query' ? textOf(parameter.name) : '') ?? [])
        note({ entry, confidence: 'name', side: 'request' }, member(parameter, 'name'), record)
    const messages = messagesOf(operation, at.name, document)
    for (const side of ['request', 'response'] as const)
      for (const message of fields[side].size > 0 ? messages[side] : [])
        eachDeclared(message, document, { fields, side }, (entry, confidence, where, why) =>
          note({ entry, confidence, side, ...(why !== undefined && { why }) }, where, record),
        )
  }
  const paths = recordOf(follow(root.paths))
  for (const [template, written] of Object.entries(paths)) {
    const target = follow(written)
    const path = member(paths, template)
    // A path that can't be read may be any operation that the schedule has there.
    for (const verb of target === undefined ? VERBS : [])
      for (const entry of scheduledAt(verb, template, [])?.entries ?? [])
        note({ entry, confidence: 'unread', why: LOST }, path, undefined)
    // OpenAPI 3.1 lets a path have operations beside its reference.
    for (const item of [...new Set([target, written])].filter(isRecord))
      for (const verb of VERBS.filter((one) => one in item)) checkOperation(member(item, verb), template)
  }
  for (const [what, { line, ids }] of lost)
    tally.fault(`${what}; it may declare ${[...ids].join(', ')}`, line)
}
