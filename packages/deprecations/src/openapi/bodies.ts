// What an OpenAPI 2 or 3 document says of the bodies of an operation. What it leaves out may be anything.
import { isRecord } from '../input/json-scan.ts'
import type { Side } from '../schedule/schedule.ts'
import { childrenOf, into, itemsOf, nameOf, type At, type Follow } from './places.ts'

export type Operation = { template: string; verb: string; at: At; item: At }

/** A place where members may be declared; `isAll`: it is a schema, and all that is said of a body. */
export type Declaring = { at: At; isAll?: boolean }

const undescribed = (at: At): Declaring => ({ at: { ...at, value: {} }, isAll: true })

/** A property that stands for a parameter. */
const asProperty = (at: At, ...names: string[]): At => ({
  ...at,
  value: names.reduceRight<object>((inner, name) => ({ properties: { [name]: inner } }), {}),
})

/** The schemas of a body, in OpenAPI 3 (content) and 2 (schema), and what has examples beside them. */
const schemasOf = (body: At, follow: Follow): Declaring[] => {
  const followed = (one: At) => follow(one) ?? []
  const media = [into(body, 'content')].flatMap(followed).flatMap(childrenOf).flatMap(followed)
  const schemas = [body, ...media].flatMap((one) => {
    // OpenAPI 3.2 has the schema of one item of a stream.
    const written = [into(one, 'schema'), into(one, 'itemSchema')].filter(({ value }) => value !== undefined)
    if (written.length === 0 && one !== body) return [undescribed(one)]
    return written.map((at) => ({ at, isAll: true }))
  })
  return [...schemas, ...[body, ...media].map((at) => ({ at }))]
}

const isAll = ({ isAll }: Declaring) => isAll === true

const requestOf = ({ verb, at, item }: Operation, follow: Follow): Declaring[] => {
  const written = [into(at, 'requestBody'), ...[item, at].flatMap((one) => itemsOf(into(one, 'parameters')))]
  const found = written
    .flatMap((one) => follow(one) ?? [])
    .flatMap((body): Declaring[] => {
      const { in: place, name } = isRecord(body.value) ? body.value : {}
      // A field of a form in OpenAPI 2 is as a schema with that one property.
      if (place === 'formData' && typeof name === 'string')
        return [{ at: asProperty(body, name), isAll: true }]
      // A parameter of the name is not the field itself, so it counts as one deeper.
      if (place === 'query' && typeof name === 'string') return [{ at: asProperty(body, '?', name) }]
      return place === undefined || place === 'body' ? schemasOf(body, follow) : []
    })
  // RFC 9110 9.3.1 and 9.3.2: these have no body.
  return found.some(isAll) || /^(?:get|head)$/.test(verb) ? found : [...found, undescribed(at)]
}

const responseOf = ({ at }: Operation, follow: Follow): Declaring[] => {
  const all = [into(at, 'responses')].flatMap((one) => follow(one) ?? []).flatMap(childrenOf)
  const successes = all.filter((one) => nameOf(one).startsWith('2'))
  const answers = successes.length > 0 ? successes : all.filter((one) => nameOf(one) === 'default')
  if (answers.length === 0) return [undescribed(at), ...all.flatMap((one) => answerOf(one, follow))]
  return all.flatMap((one) => {
    const found = answerOf(one, follow)
    const mayBeEmpty = !answers.includes(one) || /^20[45]$/.test(nameOf(one))
    return found.some(isAll) || mayBeEmpty ? found : [...found, undescribed(one)]
  })
}

const answerOf = (written: At, follow: Follow): Declaring[] => {
  const answer = follow(written)
  return answer === undefined ? [] : schemasOf(answer, follow)
}

/** All that an operation says of the bodies on one side: an error may be without, what was asked for may not. */
export const bodiesOf = (operation: Operation, side: Side, follow: Follow): Declaring[] =>
  side === 'request' ? requestOf(operation, follow) : responseOf(operation, follow)
