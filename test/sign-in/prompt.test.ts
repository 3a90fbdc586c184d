// What `prompt` says at sign-in, and which refusals of it are worth another try.
import { describe, expect, it } from 'vitest'
import {
  isPromptLoginRefused,
  isSelectAccountRefused,
  supportedPrompt,
  parsePrompt,
  promptParameter,
  type Prompt,
} from '../../src/sign-in/transaction/prompt.ts'

const issuer = 'https://as.example'

describe('a request for another person at sign-in', () => {
  it.each<[Prompt, string[] | undefined, Prompt]>([
    ['select_account', undefined, 'select_account'],
    ['select_account', ['select_account', 'login'], 'select_account'],
    ['select_account', ['login'], 'login'],
    ['select_account', [], 'login'],
    ['login', ['login'], 'login'],
    ['login', ['select_account'], 'select_account'],
    ['login', ['none'], 'login'],
  ])('for %s at a server that lists %j is %s', (prompt, listed, possible) => {
    expect(supportedPrompt(prompt, { issuer, prompt_values_supported: listed })).toBe(possible)
  })

  it('is never login at Google, which doesn’t know it and says so nowhere', () => {
    expect(supportedPrompt('login', { issuer: 'https://accounts.google.com' })).toBe('select_account')
  })

  it('is none but those that there are, whatever an address says', () => {
    expect([parsePrompt('login'), parsePrompt('no'), parsePrompt(['login'])]).toEqual([
      'login',
      undefined,
      undefined,
    ])
  })
})

it.each<[string | undefined, Prompt | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  ['consent', undefined, 'consent'],
  [undefined, 'login', 'login'],
  ['consent select_account', 'login', 'consent login'],
  ['consent', 'select_account', 'consent select_account'],
])('OIDC_PROMPT %j and a request for %j make the parameter %j', (always, prompt, parameter) => {
  expect(promptParameter(always, prompt)).toBe(parameter)
})

it.each<[Prompt | undefined, string, boolean, boolean]>([
  ['select_account', 'interaction_required', true, false],
  ['select_account', 'invalid_request', true, true],
  ['select_account', 'access_denied', false, false],
  ['select_account', 'server_error', false, false],
  ['login', 'invalid_request', false, true],
  [undefined, 'interaction_required', false, false],
])('%j that is answered %s is tried otherwise: %j', (prompt, error, asPrompt, asLogin) => {
  expect([isSelectAccountRefused(prompt, error), isPromptLoginRefused(error)]).toEqual([asPrompt, asLogin])
})
