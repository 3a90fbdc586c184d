// The addresses that have to be told to others, to be copied.
import type { Check } from '../check.ts'
import { ok, skip } from '../finding.ts'

export const redirectAddresses: Check = {
  id: 'authorization-server.redirect-addresses',
  about: 'Addresses to register',
  group: 'Authorization server',
  look({ settings: { PUBLIC_URL: url } }) {
    if (url === undefined) return [skip('PUBLIC_URL cannot be read.')]
    return [
      ok(`Redirect address: ${url}/sign-in/callback`),
      ok(`Post-logout redirect address: ${url}/signed-out`),
      ok(`Back-channel logout address: ${url}/sign-out/backchannel`),
    ]
  },
}
