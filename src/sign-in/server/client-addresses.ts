// The addresses of ours that are registered at the authorization server.

export const SIGN_IN_CALLBACK_PATH = '/sign-in/callback'

/** @param publicUrl PUBLIC_URL, never a request's Host */
export const clientAddresses = (publicUrl: string) => ({
  callback: `${publicUrl}${SIGN_IN_CALLBACK_PATH}`,
  signedOut: `${publicUrl}/signed-out`,
  backChannelLogout: `${publicUrl}/sign-out/backchannel`,
})
