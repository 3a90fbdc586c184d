// Plain http is for this machine only (RFC 9700 2.6). Pure.

export const isLoopbackHttp = (url: URL): boolean =>
  url.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
