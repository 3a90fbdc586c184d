// Matches the operations and schemas of an OpenAPI 3 document. An open schema may declare any field.
// The document's patterns are never run, because one can take forever.
import { realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { unescape } from 'node:querystring'
import { InputFault } from '@onramp/terminal/arguments'
import { asList, parseDocumentText, readDocument, asRecord, asText, wholeText } from '../input/source.ts'
import type { FormatReader } from '../input/source.ts'
import { endpointsOf, matchMember, matchDocument, type Match } from '../matching/matching.ts'
import type { Entry } from '../schedule/schedule.ts'

type ParsedDocument = ReturnType<typeof readDocument>
type MatchedMember = Parameters<typeof matchMember>
type ScheduledOperation = MatchedMember[0]
type Side = MatchedMember[1]
type Level = MatchedMember[3]
type Confidence = Match['confidence']

type OpenDocument = ParsedDocument & { name: string; open: (address: string) => OpenDocument | undefined }

/** A value with its JSON pointer (RFC 6901). A missing member has its object's pointer. */
type DocumentNode = { file: OpenDocument; pointer: string; value: unknown }

const MAX_FILES = 500

/** References may lead to files in the document's folder and below; on stdin, to none. @throws {InputFault} */
const openDocument = (text: string, name: string): DocumentNode => {
  const folder = dirname(resolve(name))
  const files = new Map<string, OpenDocument | undefined>()
  const add = (shown: string, parsed: ParsedDocument): OpenDocument => {
    const file = { ...parsed, name: shown, open: (address: string) => open(join(dirname(shown), address)) }
    files.set(resolve(shown), file)
    return file
  }
  const open = (shown: string): OpenDocument | undefined => {
    const path = resolve(shown)
    if (files.has(path) || files.size >= MAX_FILES || name === 'stdin') return files.get(path)
    files.set(path, undefined)
    try {
      const isBelow = realpathSync(path).startsWith(realpathSync(folder) + sep)
      return isBelow ? add(shown, readDocument(path)) : undefined
    } catch {
      // The file is reported only if a scheduled operation refers to it.
      return undefined
    }
  }
  const file = add(name, parseDocumentText(text, name))
  return { file, pointer: '', value: file.data }
}

const memberOf = ({ file, pointer, value }: DocumentNode, name: string): DocumentNode => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    return { file, pointer, value: undefined }
  const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return { file, pointer: `${pointer}/${step}`, value: Reflect.get(value, name) }
}

const membersOf = (spot: DocumentNode | undefined): [name: string, spot: DocumentNode][] =>
  spot === undefined || typeof spot.value !== 'object'
    ? []
    : Object.keys(spot.value ?? {}).map((name) => [name, memberOf(spot, name)])

const stepsOf = (pointer: string) => {
  const [, ...steps] = pointer.split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const MAX_HOPS = 10

/** Resolves a reference; any other value is returned unchanged. @returns undefined if that fails */
const follow = (from: DocumentNode): DocumentNode | undefined => {
  let spot = from
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    const reference = asRecord(spot.value).$ref
    if (typeof reference !== 'string') return spot
    const [address = '', fragment = ''] = unescape(reference).split('#', 2)
    const file = address === '' ? spot.file : spot.file.open(address)
    // `#Pet` is an anchor.
    if (file === undefined || !/^(?:\/|$)/.test(fragment)) return undefined
    spot = stepsOf(fragment).reduce(memberOf, { file, pointer: '', value: file.data })
    if (spot.value === undefined) return undefined
  }
  return undefined
}

const MAX_MIB = 8
/** Even documents of 300,000 lines have fewer schemas for a message. */
const MAX_VISITS = 100_000
const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']
const LOST = "can't be followed: nothing is fetched, and only files below the document's folder are read"
const TOO_MANY = 'leads to more schemas than are looked through; split the document'

/** Keywords with schemas for members of any name. */
const UNNAMED = ['additionalProperties', 'unevaluatedProperties']
/** Keywords that allow members we can't see. */
const OPENING = [...UNNAMED, 'patternProperties', 'dependencies', '$dynamicRef', '$recursiveRef']
const EXAMPLES = ['example', 'examples', 'default', 'const', 'enum']
/** Keywords that determine the members. */
const DEFINING = ['$ref', 'properties', 'allOf', 'anyOf', 'oneOf', 'items', 'enum', 'const']
const SIMPLE = /^(?:string|number|integer|boolean|null)$/

const allowsAnything = (schema: unknown) => {
  const { type, ...members } = asRecord(schema)
  const isUndefined = !SIMPLE.test(asText(type)) && !DEFINING.some((name) => name in members)
  return schema === true || (typeof schema === 'object' && isUndefined)
}

/** True if a schema allows members that it doesn't name. */
const isOpen = (schema: Record<string, unknown>) => {
  const choices = [schema.oneOf, schema.anyOf].flatMap(asList)
  return (
    OPENING.some((name) => name in schema && schema[name] !== false) ||
    ('discriminator' in schema && choices.length === 0) ||
    choices.some(allowsAnything)
  )
}

/** @param why the reason why the reference at this node can't be read */
const matchAt = (spot: DocumentNode, entry: Entry, confidence: Confidence, side?: Side, why?: string) => {
  const { file, pointer } = spot
  const unread = why && `the reference at #${pointer} ${why}`
  const line = () => file.lineOf(stepsOf(pointer))
  return { entry, confidence, side, unread, file: file.name, pointer, line } satisfies Match
}

/** Yields the deprecated fields that a request body or a response declares. */
function* matchMessage(message: DocumentNode, scheduled: ScheduledOperation, side: Side): Generator<Match> {
  const allEntries = [...scheduled.fields[side].values()].flat()
  const anyField = (spot: DocumentNode, confidence: Confidence, why?: string) =>
    allEntries.map((entry) => matchAt(spot, entry, confidence, side, why))
  // Each schema is visited once at each level.
  const seen = [new Set<unknown>(), new Set<unknown>(), new Set<unknown>()] as const
  /** The body and the operation's main object. */
  const about = [message]
  const isNamed = [false, false]
  const queue: [DocumentNode, Level][] = [[message, 0]]

  function* visitMember(name: string, spot: DocumentNode, level: Level) {
    const { matches, below } = matchMember(scheduled, side, name, level)
    for (const { entry, confidence } of matches) yield matchAt(spot, entry, confidence, side)
    // A schema that has the replacement's name is the replacement.
    const schemaName = asText(asRecord(spot.value).$ref).split('/').at(-1) ?? ''
    if ([name, schemaName].some(scheduled.isReplacement)) return
    if (below === 1) about[1] = spot
    queue.push([spot, below])
  }
  function* visit(name: string, spot: DocumentNode, level: Level) {
    const media = name === 'content' ? membersOf(spot).map(([, node]) => asRecord(follow(node)?.value)) : []
    if (media.some((type) => !('schema' in type || 'itemSchema' in type))) yield* anyField(spot, 'endpoint')
    if (name === 'properties') {
      isNamed[level] = true
      for (const [member, inner] of membersOf(spot)) yield* visitMember(member, inner, level)
    } else if (name === 'required')
      for (const [, node] of membersOf(spot)) yield* visitMember(asText(node.value), node, level)
    else if (EXAMPLES.includes(name)) {
      for (const { entry } of matchDocument(spot.value, scheduled, side).found)
        if (level === 0 || (entry.kind === 'field' && entry.place.depth === 'any'))
          yield matchAt(spot, entry, 'name', side)
    } else queue.push([spot, UNNAMED.includes(name) ? 2 : level])
  }

  for (const [spot, level] of queue) {
    if (queue.length > MAX_VISITS) return yield* anyField(message, 'unread', TOO_MANY)
    const target = follow(spot)
    if (target === undefined) yield* anyField(spot, 'unread', LOST)
    // OpenAPI 3.1 allows keywords beside a reference.
    for (const part of [target ?? spot, spot]) {
      const schema = part.value
      if (typeof schema !== 'object' || schema === null || seen[level].has(schema)) continue
      seen[level].add(schema)
      if (level < 2 && isOpen(asRecord(schema))) yield* anyField(spot, 'endpoint')
      for (const [name, inner] of membersOf(part)) yield* visit(name, inner, level)
    }
  }
  for (const [level, spot] of about.entries()) if (isNamed[level] === false) yield* anyField(spot, 'endpoint')
}

/** A server's URL with the defaults of its variables. */
const serverUrl = (server: unknown): string => {
  const { url, variables } = asRecord(server)
  const valueOf = (written: string, name: string) =>
    asText(asRecord(asRecord(variables)[name]).default) || written
  const address = asText(url).replaceAll(/\{([^{}]*)\}/g, valueOf)
  return address.replace(/[?#][^]*$/, '')
}

/** The path without and with each server URL of the nearest `servers`. */
const pathsOf = (template: string, nearestFirst: readonly DocumentNode[]): string[] => {
  const serverLists = nearestFirst.map(({ value }) => asList(asRecord(value).servers))
  const servers = serverLists.find((list) => list.length > 0) ?? []
  return ['', ...servers.map(serverUrl)].map((base) => base + template)
}

/** The successful responses, else the default. Without both, the response may be anything. */
const responsesOf = (operation: DocumentNode): DocumentNode[] => {
  const responses = memberOf(operation, 'responses')
  const allMembers = membersOf(follow(responses))
  const successes = allMembers.filter(([code]) => code.startsWith('2'))
  const chosenMembers = successes.length > 0 ? successes : allMembers.filter(([code]) => code === 'default')
  if (chosenMembers.length === 0) return [responses]
  return chosenMembers.filter(([code]) => !/^20[45]$/.test(code)).map(([, spot]) => spot)
}

function* matchOperation(scheduled: ScheduledOperation, path: DocumentNode, verb: string): Generator<Match> {
  const { entries, fields } = scheduled
  const written = memberOf(path, verb)
  const operation = follow(written) ?? written
  for (const entry of endpointsOf(entries)) yield matchAt(written, entry, 'exact')
  for (const [, spot] of [path, operation].flatMap((node) => membersOf(memberOf(node, 'parameters')))) {
    const parameter = follow(spot) ?? spot
    const { in: place, name } = asRecord(parameter.value)
    for (const entry of place === 'query' ? (fields.request.get(asText(name)) ?? []) : [])
      yield matchAt(memberOf(parameter, 'name'), entry, 'name', 'request')
  }
  // GET and HEAD have no body (RFC 9110 9.3.1, 9.3.2).
  if (!/^(?:get|head)$/.test(verb) && fields.request.size > 0)
    yield* matchMessage(memberOf(operation, 'requestBody'), scheduled, 'request')
  for (const response of fields.response.size > 0 ? responsesOf(operation) : [])
    yield* matchMessage(response, scheduled, 'response')
}

export const readOpenApi: FormatReader = async (source, findOperation, onRecord) => {
  const root = openDocument(await wholeText(source, MAX_MIB), source.name)
  if (!asText(asRecord(root.value).openapi).startsWith('3.'))
    throw new InputFault(source.name, 1, 'not an OpenAPI 3 document: it has no "openapi: 3…"')
  for (const [template, path] of membersOf(follow(memberOf(root, 'paths')))) {
    const scheduledAt = (verb: string, nearestFirst: readonly DocumentNode[]) =>
      pathsOf(template, [...nearestFirst, root])
        .map((address) => findOperation(verb, address))
        .find((scheduled) => scheduled !== undefined)
    const target = follow(path)
    if (target === undefined) {
      // The reference may be any scheduled operation of this path.
      const entries = VERBS.flatMap((verb) => scheduledAt(verb, [])?.entries ?? [])
      onRecord({ matches: entries.map((entry) => matchAt(path, entry, 'unread', undefined, LOST)) })
    }
    // OpenAPI 3.1 allows operations beside a path's reference.
    for (const item of new Map([target ?? path, path].map((node) => [node.value, node])).values())
      for (const verb of VERBS.filter((method) => method in asRecord(item.value))) {
        const operation = memberOf(item, verb)
        const scheduled = scheduledAt(verb, [operation, item])
        const matches = scheduled === undefined ? [] : matchOperation(scheduled, item, verb)
        onRecord({ record: operation.pointer, matches })
      }
  }
}
