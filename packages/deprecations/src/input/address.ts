// What a recorded request asks for: its method and its address, which have to be there in full.

/** The methods of HTTP that servers know, as in node:http, which takes 40 MB to load. */
const METHODS = new Set(
  (
    'GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT QUERY SEARCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK ' +
    'ACL BIND CHECKOUT LINK M-SEARCH MERGE MKACTIVITY MKCALENDAR NOTIFY PURGE REBIND REPORT SOURCE SUBSCRIBE UNBIND ' +
    'UNLINK UNSUBSCRIBE'
  ).split(' '),
)

/** What is written in the place of a part that was left out, or around an address: `POST /a HTTP/1.1`. */
const LEFT_OUT =
  /…|\*{3}|\.{3}(?:\/|$)|(?:^|\/)(?:\[|%5b|\W*(?:redacted|filtered|masked|removed|omitted)\W*(?:[/?#]|$))|\S\s+\S/i

/** Addresses that no server is asked for. */
const LOCAL = /^\s*(?:about|blob|data|file|javascript|[a-z-]+-extension):/i

/** Whether an address has a path, and all of it: `https://a`, `/rest/…` and `[REDACTED]` may be any operation's. */
const isWhole = (url: string): boolean => {
  const [path = ''] = url.replace(/^\s*[a-z][\w+.-]*:[/\\]{2}[^/\\?#]*/i, '').split(/[?#]/, 1)
  return LOCAL.test(url) || (/[/\\]/.test(path) && !LEFT_OUT.test(path))
}

/** Why a request may be any, as the end of a fault; undefined where it says what it asks for, if need be `beside`. */
export const requestFault = (method: string, url: string, beside: readonly string[] = []) => {
  const verb = method.trim().toUpperCase()
  if (!METHODS.has(verb)) return 'its method is not an HTTP method; fix it or remove the'
  const isElsewhere = beside.some((other) => /^(?:\/|https?:)/i.test(other) && isWhole(other))
  // RFC 9110 9.3.6: a tunnel has no path.
  if (isWhole(url) || verb === 'CONNECT' || (isElsewhere && !LEFT_OUT.test(url))) return undefined
  return 'its url is not a whole address; record it with its path, or remove the'
}
