// Pages of the sandbox: one frame with a banner, escaping by default, no scripts.
// No CSP form-action: browsers enforce it along redirects, and a form must be able to end at the client.
import type { ServerResponse } from 'node:http'

/** Markup that is safe to show as it is. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type HtmlValue = string | number | undefined | false | Html | HtmlValue[]

/** Builds markup from a template; every part is escaped unless it is `Html`. */
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

/** A table that scrolls where the page is too narrow for it. @param head names of the columns */
export function table(head: string[], rows: HtmlValue[][]): Html {
  const line = (cells: HtmlValue[]) =>
    html`<tr>
      ${cells}
    </tr>`
  // A keyboard scrolls only what it can reach.
  return html`<div class="scroll" role="group" aria-label="${head.join(', ')}" tabindex="0">
    <table>
      <thead>
        ${line(head.map((name) => html`<th>${name}</th>`))}
      </thead>
      <tbody>
        ${rows.map((row) => line(row.map((cell) => html`<td>${cell}</td>`)))}
      </tbody>
    </table>
  </div>`
}

type SandboxPage = { title: string; site: string; body: Html; wide?: boolean }

/** The whole document of a page. HTML has no slash at the end of an element (HTML, 13.1.2.1). */
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

/** Answers with a page. */
export function sendPage(res: ServerResponse, page: SandboxPage, status = 200): void {
  res.writeHead(status, headers).end(document(page))
}

/** Answers with a redirect. */
export function redirect(res: ServerResponse, to: string, status: 302 | 303 = 302): void {
  // A header takes ASCII only.
  const location = /[^\x21-\x7e]/.test(to) && URL.canParse(to) ? new URL(to).href : to
  res.writeHead(status, { location, 'cache-control': 'no-store', 'content-length': '0' }).end()
}

/** Answers with JSON. */
export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  res.writeHead(status, json).end(JSON.stringify(value))
}

/** Light and dark, phones first. */
const stylesheet = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e8ecf4); --soft: light-dark(#5b6575, #a3adbd);
  --paper: light-dark(#f3f5f9, #11151c); --card: light-dark(#fff, #1a2029); --line: light-dark(#d9dee7, #313a48); --edge: light-dark(#838a98, #7d8594);
  --accent: light-dark(#2456d6, #8db0ff); --on-accent: light-dark(#fff, #0c1424);
  --warn: light-dark(#6a4a00, #ffdf8f); --warn-paper: light-dark(#fff3cf, #3a2f10) }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
.banner { margin: 0; padding: .4rem 1rem; text-align: center; font-size: .875rem; color: var(--warn);
  background: var(--warn-paper) }
main { margin: 1rem auto; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  overflow-wrap: anywhere }
main.card { max-width: 27rem; width: calc(100% - 2rem) }
main.wide { max-width: 64rem; width: calc(100% - 2rem) }
@media (min-width: 40rem) { main { margin: 3rem auto; padding: 2rem } }
.site { margin: 0; color: var(--soft); font-size: .875rem }
h1 { margin: .25rem 0 1rem; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem }
.note, small { color: var(--soft) }
form { margin: 0 }
button { width: 100%; min-height: 3rem; margin: .25rem 0; padding: .6rem 1rem; font: inherit; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: 8px }
button:hover { border-color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
button.first { color: var(--on-accent); background: var(--accent); border-color: var(--accent); font-weight: 600 }
button.person { display: block; text-align: start }
button.person span { display: block; font-size: .875rem; opacity: .8 }
button.inline { width: auto; white-space: nowrap; min-height: 2.75rem; padding: .2rem .7rem; margin: 0 }
a { color: var(--accent) }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem }
.buttons form { display: flex; flex: 1 1 8rem }
dl { margin: 1rem 0 } dt { color: var(--soft); font-size: .875rem } dd { margin: 0 0 .5rem }
.fields { display: grid; gap: .75rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)) }
label { display: block; font-size: .9375rem }
input:not([type=checkbox]), textarea { display: block; width: 100%; min-height: 2.75rem; padding: .4rem; font: inherit;
  color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 6px }
textarea { min-height: 6rem; font-family: ui-monospace, monospace; font-size: .875rem }
.scroll { overflow-x: auto; overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
td + td { white-space: nowrap }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem }
summary { padding: .6rem 0; cursor: pointer }
.find div { display: flex; gap: .5rem }
iframe.mail { width: 100%; height: 36rem; border: 1px solid var(--line); border-radius: 8px; background: #fff }
th, td { padding: .3rem .6rem .3rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line) }
`
