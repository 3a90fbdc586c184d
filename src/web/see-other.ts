// A redirect with an empty body: what Express writes would repeat the address, and an address of the service carries a
// one-time token that belongs in no page.
import type { Response } from 'express'

/** 303: whatever the request was, the browser follows with GET (RFC 9110 15.4.4). The address is sent byte for byte. */
export function seeOther(res: Response, location: string): void {
  res.statusCode = 303
  res.setHeader('Location', location)
  // Another site isn't told where people come from (W3C Referrer Policy 8.2: a redirect's policy counts for what follows).
  if (!location.startsWith('/')) res.setHeader('Referrer-Policy', 'no-referrer')
  res.end()
}
