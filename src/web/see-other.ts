// Redirects with an empty body. Express would repeat the address there, but an address of the service has a one-time
// token that must not be in a page.
import type { Response } from 'express'

/** Sends 303, which the browser follows with GET (RFC 9110 15.4.4). The address is sent byte for byte. */
export function seeOther(res: Response, location: string): void {
  res.statusCode = 303
  res.setHeader('Location', location)
  // Other sites get no Referer, because a redirect's policy applies to the next request (W3C Referrer Policy 8.2).
  if (!location.startsWith('/')) res.setHeader('Referrer-Policy', 'no-referrer')
  res.end()
}
