// OIDC_AUTHORIZATION_PARAMS: the parameters that an operator may add to the authorization request.
import { expect, it } from 'vitest'
import { faultsIn } from '../helpers/settings-faults.ts'

const faultsOf = (parameters: string) => faultsIn({ OIDC_AUTHORIZATION_PARAMS: parameters })

const OURS = [
  'client_id client_secret client_assertion redirect_uri state nonce scope prompt response_type response_mode',
  'code_challenge code_challenge_method request request_uri login_hint id_token_hint ui_locales resource audience',
]

it.each(OURS.join(' ').split(' '))('OIDC_AUTHORIZATION_PARAMS rejects %s', (name) => {
  expect(faultsOf(`hd=acme.example&${name}=x`)).toEqual([
    expect.stringMatching(new RegExp(`^OIDC_AUTHORIZATION_PARAMS must not hold ${name}\\b`)),
  ])
})

it('a refused parameter is reported with the setting to use instead', () => {
  const words = ['set OIDC_PROMPT', 'state, which onramp sends'].map(
    (text) => expect.stringContaining(text) as string,
  )
  expect(faultsOf('prompt=consent&state=x')).toEqual(words)
  expect(faultsOf('access_type=offline&hd=acme.example&acr_values=a%20b&constructor=x')).toEqual([])
})
