// Invented names have no address in fast tests, without a name server: one that drops a question costs five seconds.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

type Callback = (error: Error | null) => void

// Once for each worker, whose files share Node's modules.
if (dns.lookup.name !== 'lookupLocal') {
  const { lookup } = dns
  const lookupLocal = (host: string, options: object, callback: Callback) => {
    if (host === 'localhost' || isIP(host)) return lookup(host, options, callback)
    const error = new Error(`getaddrinfo ENOTFOUND ${host}`)
    process.nextTick(
      callback,
      Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: host }),
    )
  }
  Object.assign(dns, { lookup: lookupLocal })
  syncBuiltinESMExports()
}
