// Removing a registered client (RFC 7592).
import { expect, it } from 'vitest'
import { removeClient } from '../../src/sign-in/registration/register.ts'
import { answerFetch, silent } from './network-of-answers.ts'

const uri = 'https://as.example/register/one'
const client = { client_id: 'one', registration_client_uri: uri, registration_access_token: 'sesame' }

it('a client is removed at its management address with its own token', async () => {
  const requests = answerFetch({ [uri]: () => new Response(null, { status: 204 }) })
  expect(await removeClient(client)).toBe('removed')
  expect(requests.map(({ method, headers }) => [method, headers.get('authorization')])).toEqual([
    ['DELETE', 'Bearer sesame'],
  ])
})

it('a client stays if the server refuses or does not answer', async () => {
  answerFetch({ [uri]: () => new Response('no', { status: 403 }) })
  expect(await removeClient(client)).toBe(403)
  answerFetch({ [uri]: silent('ECONNREFUSED') })
  expect(await removeClient(client)).toBe('unanswered')
})

it.each([
  { registration_client_uri: undefined },
  { registration_client_uri: 'x' },
  { registration_client_uri: 'http://as.example/register/one' },
  { registration_access_token: undefined },
])('a client stays if there is no safe address or no token: %j', async (without) => {
  const requests = answerFetch({})
  expect(await removeClient({ ...client, ...without })).toBe('no-means')
  expect(requests).toEqual([])
})
