// What the log says of an authorization server's answer: enough to act on, and nothing that could be a secret.
import { AuthorizationResponseError, refreshTokenGrant } from 'openid-client'
import { describe, expect, it } from 'vitest'
import {
  errorSaid,
  inWords,
  isSignatureRefused,
  nameOfError,
  refusedAlgorithm,
  refusedMember,
  retryAfterOf,
  statusOf,
} from '../../src/sign-in/answer-words.ts'
import { answering, libraryError, refusalOf } from './library-errors.ts'

const refusal = (status: number, body: unknown, headers?: Record<string, string>) =>
  refusalOf(refreshTokenGrant(answering(status, body, headers), 'one'))
const said = async (description: string) =>
  inWords(await refusal(400, { error: 'invalid_grant', error_description: description }))
const quoted = async (description: string) => /\("(.*)"\)$/.exec(await said(description))?.[1]
const caused = (cause: unknown, message = 'outer') => new Error(message, { cause })

describe('the name of an error', () => {
  it.each([
    ['invalid_grant', 'invalid_grant'],
    ['a'.repeat(40), 'a'.repeat(40)],
    ['a'.repeat(41), 'an unknown error'],
    ['', 'an unknown error'],
    ['Invalid', 'an unknown error'],
    ['invalid_grant ', 'an unknown error'],
    [' invalid_grant', 'an unknown error'],
  ])('%j is repeated only where it is plain: %s', (error, name) => {
    expect(nameOfError(error)).toBe(name)
  })
})

describe('what came back', () => {
  it('is told with status, code and description', async () => {
    expect(await said('grant request is invalid')).toBe(
      'invalid_grant with status 400 ("grant request is invalid")',
    )
    expect(inWords(await refusal(400, { error: 'invalid_grant' }))).toBe('invalid_grant with status 400')
    expect(await said(' <> ')).toBe('invalid_grant with status 400')
  })

  it('is a status alone where there was no error code', async () => {
    expect(inWords(await refusal(502, '<html>'))).toBe('status 502')
    expect(inWords(await refusal(401, '', { 'www-authenticate': 'Basic realm="x"' }))).toBe('status 401')
  })

  it('is nothing where there was no answer', () => {
    expect(inWords(new Error('x'))).toBe('nothing')
    expect(inWords(libraryError('OAUTH_TIMEOUT'))).toBe('nothing usable (OAUTH_TIMEOUT)')
    expect(inWords(undefined)).toBe('nothing')
  })
})

describe('a description', () => {
  it.each([
    ['grün "quoted" <b>\\n', 'gr n  quoted   b  n'],
    ['code aB3aB3aB is wrong', 'code … is wrong'],
    ['code aB3aB3a is short', 'code aB3aB3a is short'],
    ['ALLCAPS123 abcdefgh1 ABCDefghi', 'ALLCAPS123 abcdefgh1 ABCDefghi'],
    ['Wrong … for you', 'Wrong … for you'],
    ['of ada@acme.example', 'of …'],
  ])('%j is told as %j', async (description, words) => {
    expect(await quoted(description)).toBe(words)
  })

  it('is cut at 200 characters, after what could be a secret was taken out', async () => {
    const words = 'word '.repeat(100)
    expect(await quoted(words)).toBe(words.slice(0, 199))
    expect(await quoted(`${'aB3aB3aB '.repeat(30)}end`)).toBe(`${'… '.repeat(30)}end`)
    expect(await quoted(`${'A'.repeat(796)} end`)).toBe('… end')
    expect(await quoted(`${'A'.repeat(800)} end`)).toBe('…')
  })
})

describe('of an answer', () => {
  it('status and Retry-After are found, however deep the library has them', async () => {
    const headers = { 'retry-after': '7' }
    for (const error of [
      await refusal(503, '<html>', headers),
      await refusal(400, { error: 'slow_down' }, headers),
      await refusal(401, '', { ...headers, 'www-authenticate': 'Basic realm="x"' }),
    ]) {
      const wrapped = caused(caused(error))
      expect([statusOf(wrapped), retryAfterOf(wrapped)]).toEqual([statusOf(error), '7'])
    }
    expect(retryAfterOf(await refusal(503, '<html>'))).toBeUndefined()
    expect([statusOf(new Error('x')), retryAfterOf('x')]).toEqual([undefined, undefined])
  })

  it('a chain of causes without end is not followed for ever', () => {
    const response = new Response('', { status: 418 })
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce<unknown>((cause) => caused(cause), response)
    expect(statusOf(nested(5))).toBe(418)
    expect(statusOf(nested(6))).toBeUndefined()
  })

  it('the error in its body is found, also with 200', async () => {
    expect(errorSaid(await refusal(400, { error: 'invalid_grant' }))).toBe('invalid_grant')
    expect(errorSaid(await refusal(200, { error: 'bad_refresh_token' }))).toBe('bad_refresh_token')
    expect(errorSaid(await refusal(200, { error: 5 }))).toBeUndefined()
    expect(errorSaid(await refusal(502, '<html>'))).toBeUndefined()
    expect(errorSaid(caused({ body: null }))).toBeUndefined()
    expect(errorSaid(undefined)).toBeUndefined()
  })
})

describe('what the library says in its errors alone', () => {
  it('is the member that is wrong', () => {
    const complaint = new Error('"response" body "expires_in" property must be a number')
    expect(refusedMember(caused(complaint))).toBe('expires_in')
    expect(refusedMember(new Error(`body "${'x'.repeat(41)}" property`))).toBeUndefined()
    expect(refusedMember('body "scope" property')).toBeUndefined()
  })

  it.each([
    [{ header: { alg: 'HS256' }, expected: ['RS256'] }, 'HS256'],
    [{ alg: 'none' }, 'none'],
    [{ header: { alg: 'HS256' } }, undefined],
    [{ expected: [], alg: 'ES256' }, 'ES256'],
    [{ header: null, expected: [] }, undefined],
    [{ alg: 5 }, undefined],
    [{ alg: 'x'.repeat(20) }, 'x'.repeat(20)],
    [{ alg: 'x'.repeat(21) }, 'an unknown algorithm'],
    [{ alg: '' }, 'an unknown algorithm'],
    [{ alg: 'RS256\n' }, 'an unknown algorithm'],
    [{ alg: ' RS256' }, 'an unknown algorithm'],
    [null, undefined],
  ])('is the algorithm of an id_token: %j is %s', (carried, algorithm) => {
    expect(refusedAlgorithm(caused(carried))).toBe(algorithm)
  })

  it('is that a signature was refused', () => {
    expect(isSignatureRefused(caused(caused({ key: {}, signature: new Uint8Array() })))).toBe(true)
    expect(isSignatureRefused(caused({ alg: 'none' }))).toBe(false)
    expect(isSignatureRefused(new AuthorizationResponseError('x', { cause: new URLSearchParams() }))).toBe(
      false,
    )
    expect(isSignatureRefused('signature')).toBe(false)
  })
})
