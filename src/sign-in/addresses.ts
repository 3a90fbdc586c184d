// Where the authorization server sends browsers and notices. It has to know these addresses: they are what is registered
// there, by onramp itself (RFC 7591) or by its administrators.

export const CALLBACK_PATH = '/sign-in/callback'

/** @param publicUrl PUBLIC_URL, never a request's Host */
export const addressesOf = (publicUrl: string) => ({
  callback: `${publicUrl}${CALLBACK_PATH}`,
  signedOut: `${publicUrl}/signed-out`,
  backChannelLogout: `${publicUrl}/sign-out/backchannel`,
})
