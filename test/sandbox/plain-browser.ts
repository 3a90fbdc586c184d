// A browser without scripts, for tests: keeps cookies per host as browsers do, follows redirects one by one.
// Only what the sandbox's pages need: links are followed by redirects, buttons are forms.

export type Visit = { url: string; status: number; headers: Headers; text: string }

export type PlainBrowser = {
  /** Goes somewhere and follows redirects until a page, or until an address for which `stop` says so. */
  open: (url: string, stop?: (url: string) => boolean) => Promise<Visit>
  /** Sends a form. */
  submit: (url: string, fields: Record<string, string>, stop?: (url: string) => boolean) => Promise<Visit>
}

type Cookie = { value: string; path: string }

/** A browser with no cookies yet. */
export function createPlainBrowser(): PlainBrowser {
  const jar = new Map<string, Cookie>()

  async function go(
    url: string,
    init: { method?: string; body?: URLSearchParams },
    stop?: (url: string) => boolean,
  ): Promise<Visit> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: cookiesFor(url) },
    })
    keepCookies(url, response.headers)
    const location = response.headers.get('location')
    if (location === null)
      return { url, status: response.status, headers: response.headers, text: await response.text() }
    await response.body?.cancel()
    const next = new URL(location, url).href
    if (stop?.(next)) return { url: next, status: response.status, headers: response.headers, text: '' }
    return go(next, {}, stop)
  }

  function cookiesFor(url: string): string {
    const { hostname, pathname } = new URL(url)
    return [...jar]
      .filter(([key, { path }]) => key.startsWith(`${hostname} `) && pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
      .join('; ')
  }

  function keepCookies(url: string, headers: Headers): void {
    for (const header of headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split('; ')
      const [name = ''] = pair.split('=')
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/'
      const gone = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one))
      const key = `${new URL(url).hostname} ${name} ${path}`
      if (gone) jar.delete(key)
      else jar.set(key, { value: pair.slice(name.length + 1), path })
    }
  }

  return {
    open: (url, stop) => go(url, {}, stop),
    submit: (url, fields, stop) => go(url, { method: 'POST', body: new URLSearchParams(fields) }, stop),
  }
}
