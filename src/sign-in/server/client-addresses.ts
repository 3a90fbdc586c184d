// The addresses of signing in, here and as the authorization server has them registered.

export const SIGN_IN_CALLBACK_PATH = '/sign-in/callback'

/** Registered at the authorization server. @param publicUrl PUBLIC_URL, never a request's Host */
export const clientAddresses = (publicUrl: string) => ({
  callback: `${publicUrl}${SIGN_IN_CALLBACK_PATH}`,
  signedOut: `${publicUrl}/signed-out`,
  backChannelLogout: `${publicUrl}/sign-out/backchannel`,
})

/** Where a person signs in to come back to `returnTo`. */
export const signInPath = (returnTo: string): string => `/sign-in?return_to=${encodeURIComponent(returnTo)}`
