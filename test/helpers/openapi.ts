// Compares onramp's responses and events with docs/openapi.yaml. A member that the document doesn't name is a fault
// here.
import { readFileSync } from 'node:fs'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import type { JsonResponse } from './json-responses.ts'

type Json = { [name: string]: Json }

export const OPENAPI = new URL('../../docs/openapi.yaml', import.meta.url).pathname

const document = parse(readFileSync(OPENAPI, 'utf8')) as Json

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Forbids undescribed members, in place. A part of `allOf` describes only some of them. */
function strict(value: unknown): void {
  if (!isObject(value)) return
  if (isObject(value['properties']) && !Array.isArray(value))
    (value as Record<string, unknown>)['additionalProperties'] ??= false
  for (const [name, member] of Object.entries(value)) if (name !== 'allOf') strict(member)
}
strict(document)

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

function find(...path: string[]): string[] | undefined {
  let value: Json | undefined = document
  let at: string[] = []
  for (const name of path) {
    value = value[name]
    if (!isObject(value)) return undefined
    const reference: unknown = value['$ref']
    at = typeof reference === 'string' ? reference.slice(2).split('/') : [...at, name]
    if (typeof reference !== 'string') continue
    value = at.reduce<Json | undefined>((inside, part) => inside?.[part], document)
    if (value === undefined) throw new Error(`${reference} is not in the document`)
  }
  return at
}

function validated(path: readonly string[], body: string): string | undefined {
  const validate = ajv.getSchema(
    `openapi#/${path.map((name) => encodeURIComponent(escaped(name))).join('/')}`,
  )
  if (validate === undefined) throw new Error(`${path.join(' ')} has no schema`)
  return validate(JSON.parse(body)) === true ? undefined : ajv.errorsText(validate.errors)
}

/** The violation of the document in a response; undefined if it is documented or isn't JSON. */
export function faultIn({ method, path, status, type, body }: JsonResponse): string | undefined {
  if (!/\bjson$/.test(type) || body === '') return undefined
  const route = path.toLowerCase().replace(/(.)\/$/, '$1')
  const operation = ['paths', route, method.toLowerCase()]
  if (find(...operation) === undefined && type === 'application/problem+json')
    return validated(['components', 'schemas', 'Problem'], body)
  const response = ['responses', find(...operation, 'responses', String(status)) ? String(status) : 'default']
  const schema = find(...operation, ...response, 'content', type, 'schema')
  return schema === undefined ? 'not in docs/openapi.yaml' : validated(schema, body)
}

export function faultInEvent(body: string): string | undefined {
  const { type } = JSON.parse(body) as { type: string }
  const schema = find('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema')
  return schema === undefined ? 'not in docs/openapi.yaml' : validated(schema, body)
}
