// The prompt parameter, and its refusals that are worth another attempt.
import { expect, it } from 'vitest'
import {
  isSelectAccountRefused,
  supportedPrompt,
  parsePrompt,
  promptParameter,
  type Prompt,
} from '../../src/sign-in/transaction/prompt.ts'

const issuer = 'https://as.example'

it.each<[Prompt, string[] | undefined, Prompt]>([
  ['select_account', undefined, 'select_account'],
  ['select_account', ['select_account', 'login'], 'select_account'],
  ['select_account', ['login'], 'login'],
  ['select_account', [], 'login'],
  ['login', ['login'], 'login'],
  ['login', ['select_account'], 'select_account'],
  ['login', ['none'], 'login'],
])('the prompt %s at a server that lists %j becomes %s', (prompt, listed, possible) => {
  expect(supportedPrompt(prompt, { issuer, prompt_values_supported: listed })).toBe(possible)
})

it('the prompt login becomes select_account at Google', () => {
  expect(supportedPrompt('login', { issuer: 'https://accounts.google.com' })).toBe('select_account')
})

it('a link can only set a known prompt', () => {
  expect(['login', 'no', ['login']].map(parsePrompt)).toEqual(['login', undefined, undefined])
})

it.each<[string | undefined, Prompt | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  ['consent', undefined, 'consent'],
  [undefined, 'login', 'login'],
  ['consent select_account', 'login', 'consent login'],
  ['consent', 'select_account', 'consent select_account'],
])('OIDC_PROMPT=%j with the prompt %j sends prompt=%j', (always, prompt, parameter) => {
  expect(promptParameter(always, prompt)).toBe(parameter)
})

it.each<[Prompt, string, string, boolean]>([
  ['select_account', 'interaction_required', 'retried as login', true],
  ['select_account', 'access_denied', 'not retried', false],
  ['select_account', 'server_error', 'not retried', false],
  ['login', 'invalid_request', 'not retried', false],
])('prompt=%s refused with %s is %s', (prompt, error, _title, asLogin) => {
  expect(isSelectAccountRefused(prompt, error)).toBe(asLogin)
})
