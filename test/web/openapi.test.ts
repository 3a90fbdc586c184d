// docs/openapi.yaml is valid, and the comparison with responses notices deviations.
import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { newPerson } from '../../src/people/person.ts'
import { LANGUAGES_FOLDER, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { eventBody } from '../../src/webhooks/sender.ts'
import { faultIn, faultInEvent, OPENAPI } from '../helpers/openapi.ts'

it('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(OPENAPI)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

it('the OpenAPI document names the code of every problem', () => {
  const { components } = parse(readFileSync(OPENAPI, 'utf8')) as {
    components: { schemas: { Problem: { properties: { code: { 'x-extensible-enum': string[] } } } } }
  }
  const codes = Object.keys(readCatalogue(LANGUAGES_FOLDER, 'en')).flatMap((key) =>
    [...key.matchAll(/^problem\.(\w+)\.title$/g)].map(([, code]) => code),
  )
  const named = components.schemas.Problem.properties.code['x-extensible-enum']
  expect(new Set(named)).toEqual(new Set(codes))
  expect(named).toHaveLength(codes.length)
})

it('the OpenAPI document describes each event that is sent', () => {
  const person = { ...newPerson('ada@acme.example', 0), group: 'Sales' }
  const app = { instance: 'slack_1', name: 'Slack' }
  const piece = { id: 'msg_1', at: 0, tries: 0, dueAt: 0 }
  for (const type of ['person.signed_in', 'person.finished'] as const) {
    expect(faultInEvent(eventBody({ ...piece, type }, person))).toBeUndefined()
    expect(faultInEvent(eventBody({ ...piece, type, app }, person))).toContain('additional')
  }
  for (const type of ['app.added', 'app.connected', 'app.waiting_for_admin'] as const) {
    expect(faultInEvent(eventBody({ ...piece, type, app }, person))).toBeUndefined()
    expect(faultInEvent(eventBody({ ...piece, type }, person))).toContain("'app'")
  }
})

const status = { signedIn: true, connected: 1, pending: 0, skipped: 0 }
const answered = (body: object, changed = {}) =>
  faultIn({
    method: 'GET',
    path: '/api/status',
    status: 200,
    type: 'application/json',
    body: JSON.stringify(body),
    ...changed,
  })

// prettier-ignore
it.each<[string, string | undefined, string]>([
  ['is as described', answered(status), 'fine'],
  ['is as described, for another spelling of the path', answered(status, { path: '/API/Status/' }), 'fine'],
  ['lacks a member', answered({ ...status, pending: undefined }), 'pending'],
  ['has another member', answered({ ...status, token: 'x' }), 'additional'],
  ['is of an undescribed route', answered(status, { path: '/api/other' }), 'not in'],
  ['has an undescribed status', answered(status, { status: 418 }), 'not in'],
  ['is a problem without its code', answered({ status: 401 }, { status: 401, type: 'application/problem+json' }), 'required'],
])('the comparison with the OpenAPI document notices a response that %s', (_title, fault, part) => {
  expect(fault ?? 'fine').toContain(part)
})
