// The sandbox's pages have one layout, escape by default, and have no scripts. The CSP has no form-action, because
// browsers apply it to redirects, and a form may end at the client.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'

const stylesheet = readFileSync(new URL('pages.css', import.meta.url), 'utf8')

/** Safe markup, which isn't escaped again. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type HtmlValue = string | number | undefined | false | Html | HtmlValue[]

/** Escapes every value unless it is `Html`. */
export function html(strings: TemplateStringsArray, ...parts: HtmlValue[]): Html {
  return new Html(strings.reduce((all, string, index) => all + string + render(parts[index]), ''))
}

function render(part: HtmlValue): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.markup
  if (Array.isArray(part)) return part.map(render).join('')
  return String(part).replace(/[&<>"']/g, (character) => `&${ENTITIES[character]};`)
}

const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

type SandboxPage = { title: string; site: string; body: Html; wide?: boolean }

/** Removes the slashes that prettier adds to void elements (HTML, 13.1.2.1). */
export function document({ title, site, body, wide = false }: SandboxPage): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – ${site}</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Html(stylesheet)}
        </style>
      </head>
      <body>
        <header class="banner">Sandbox – for development only</header>
        <main class="${wide ? 'wide' : 'card'}">
          <p class="site">${site}</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.markup.replaceAll(/ \/(?=>)|[ \t]+$/gm, '')
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function sendPage(res: ServerResponse, page: SandboxPage, status = 200): void {
  res.writeHead(status, headers).end(document(page))
}

export function redirect(res: ServerResponse, to: string, status: 302 | 303 = 302): void {
  // A header has to be ASCII.
  const location = /[^\x21-\x7e]/.test(to) && URL.canParse(to) ? new URL(to).href : to
  res.writeHead(status, { location, 'cache-control': 'no-store', 'content-length': '0' }).end()
}

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  res.writeHead(status, json).end(JSON.stringify(value))
}
