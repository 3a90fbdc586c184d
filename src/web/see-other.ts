// A redirect with an empty body. Express would repeat the address in it, and an address of the service has a one-time token
// that belongs in no page.
import type { Response } from 'express'

/** 303: the browser follows with GET (RFC 9110 15.4.4). The address is sent byte for byte. */
export function seeOther(res: Response, location: string): void {
  res.statusCode = 303
  res.setHeader('Location', location)
  // Sends other sites no Referer (W3C Referrer Policy 8.2: a redirect's policy counts for what follows).
  if (!location.startsWith('/')) res.setHeader('Referrer-Policy', 'no-referrer')
  res.end()
}
