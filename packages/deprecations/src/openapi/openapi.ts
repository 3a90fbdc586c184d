// Reads an OpenAPI 3 document: the operations that the schedule has, and the fields that their messages declare.
import { InputFault } from '../command-line/input-fault.ts'
import { isRecord, listOf, recordOf, textOf } from '../input/json.ts'
import { wholeText, type Reader } from '../input/source.ts'
import { endpointsOf, type Scheduled, type Use } from '../matching/matcher.ts'
import { declaredIn, LOST, useAt } from './declared.ts'
import { follow, memberOf, membersOf, openDocument, type Spot } from './document.ts'

const MAX_MIB = 8
const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** The address of a server, with the usual values of its variables. */
const addressOf = (server: unknown): string => {
  const { url, variables } = recordOf(server)
  const valueOf = (written: string, name: string) =>
    textOf(recordOf(recordOf(variables)[name]).default) || written
  return textOf(url)
    .replaceAll(/\{([^}]*)\}/g, valueOf)
    .replace(/[?#].*$/, '')
}

/** A path as it is written, and below each base address: those of the nearest place that has any. */
const pathsOf = (template: string, nearestFirst: readonly Spot[]): string[] => {
  const servers = nearestFirst
    .map(({ value }) => listOf(recordOf(value).servers))
    .find((list) => list.length > 0)
  return ['', ...(servers ?? []).map(addressOf)].map((base) => base + template)
}

/** The answers of an operation where it succeeds. What it doesn't name may be anything. */
const answersOf = (operation: Spot): Spot[] => {
  const responses = memberOf(operation, 'responses')
  const answers = membersOf(follow(responses))
  const successes = answers.filter(({ name }) => name.startsWith('2'))
  const chosen = successes.length > 0 ? successes : answers.filter(({ name }) => name === 'default')
  if (chosen.length === 0) return [responses]
  return chosen.filter(({ name }) => !/^20[45]$/.test(name)).map(({ spot }) => spot)
}

/** What an operation uses of the schedule. @param written where its path has it */
function* usesOf({ entries, fields }: Scheduled, path: Spot, verb: string): Generator<Use> {
  const written = memberOf(path, verb)
  const operation = follow(written) ?? written
  for (const entry of endpointsOf({ entries })) yield useAt(written, entry, 'exact')
  for (const { spot } of [path, operation].flatMap((one) => membersOf(memberOf(one, 'parameters')))) {
    const parameter = follow(spot) ?? spot
    const { in: place, name } = recordOf(parameter.value)
    for (const entry of place === 'query' ? (fields.request.get(textOf(name)) ?? []) : [])
      yield useAt(memberOf(parameter, 'name'), entry, 'name', 'request')
  }
  // RFC 9110 9.3.1 and 9.3.2: these have no body.
  if (!/^(?:get|head)$/.test(verb) && fields.request.size > 0)
    yield* declaredIn(memberOf(operation, 'requestBody'), fields, 'request')
  for (const answer of fields.response.size > 0 ? answersOf(operation) : [])
    yield* declaredIn(answer, fields, 'response')
}

export const readOpenApi: Reader = async (source, matcher, take) => {
  const root = openDocument(await wholeText(source, MAX_MIB), source.name)
  if (!textOf(recordOf(root.value).openapi).startsWith('3.'))
    throw new InputFault(source.name, 1, 'not an OpenAPI 3 document: it has no "openapi: 3…"')
  for (const { name: template, spot: path } of membersOf(follow(memberOf(root, 'paths')))) {
    const scheduledAt = (verb: string, nearestFirst: readonly Spot[]) =>
      pathsOf(template, [...nearestFirst, root])
        .map((address) => matcher(verb, address))
        .find((scheduled) => scheduled !== undefined)
    const target = follow(path)
    if (target === undefined) {
      // It may be any operation that the schedule has there.
      const entries = VERBS.flatMap((verb) => scheduledAt(verb, [])?.entries ?? [])
      take({ uses: entries.map((entry) => useAt(path, entry, 'unread', undefined, LOST)) })
    }
    // OpenAPI 3.1 lets a path have operations beside its reference.
    const items = [...new Map([target ?? path, path].map((one) => [one.value, one])).values()]
    for (const item of items.filter(({ value }) => isRecord(value)))
      for (const verb of VERBS.filter((one) => one in recordOf(item.value))) {
        const written = memberOf(item, verb)
        const scheduled = scheduledAt(verb, [written, item])
        take({ record: written.pointer, uses: scheduled === undefined ? [] : usesOf(scheduled, item, verb) })
      }
  }
}
