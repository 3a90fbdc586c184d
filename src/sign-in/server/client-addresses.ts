// Our addresses that are registered at the authorization server.

/** @param publicUrl PUBLIC_URL, never a request's Host */
export const clientAddresses = (publicUrl: string) => ({
  callback: `${publicUrl}/sign-in/callback`,
  signedOut: `${publicUrl}/signed-out`,
  backChannelLogout: `${publicUrl}/sign-out/backchannel`,
})
