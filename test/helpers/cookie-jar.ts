// The cookies of one site in a browser.
export class CookieJar {
  readonly #cookies = new Map<string, string>()

  /** The value of the Cookie header; empty without cookies. */
  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Takes the Set-Cookie lines of a response; a cookie that has expired is removed. */
  keep(lines: string | string[] | undefined, now = Date.now()): void {
    for (const line of [lines ?? []].flat()) {
      const [pair = '', ...attributes] = line.split(';')
      const [name, value] = [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1)]
      const expires = attributes.find((attribute) => /^\s*expires=/i.test(attribute))?.split('=')[1]
      const isGone =
        attributes.some((attribute) => /^\s*max-age=0/i.test(attribute)) ||
        (expires !== undefined && Date.parse(expires) < now)
      if (isGone) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}
