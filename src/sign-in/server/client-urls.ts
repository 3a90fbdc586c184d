// Our URLs that are registered at the authorization server.

/** @param publicUrl PUBLIC_URL, never a request's Host */
export const clientUrls = (publicUrl: string) => ({
  redirectUri: `${publicUrl}/sign-in/callback`,
  postLogoutRedirectUri: `${publicUrl}/signed-out`,
  backChannelLogoutUri: `${publicUrl}/sign-out/backchannel`,
})
