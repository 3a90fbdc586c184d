// The addresses that have to be told to others, to be copied.
import { addressesOf } from '../../sign-in/addresses.ts'
import type { Check } from '../check.ts'
import { ok, skip } from '../finding.ts'

export const redirectAddresses: Check = {
  id: 'authorization-server.redirect-addresses',
  about: 'Addresses to register',
  group: 'Authorization server',
  look({ settings: { PUBLIC_URL: url } }) {
    if (url === undefined) return [skip('PUBLIC_URL cannot be read.')]
    const { callback, signedOut, backChannelLogout } = addressesOf(url)
    return [
      ok(`Redirect address: ${callback}`),
      ok(`Post-logout redirect address: ${signedOut}`),
      ok(`Back-channel logout address: ${backChannelLogout}`),
    ]
  },
}
