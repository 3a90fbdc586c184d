// Control of the sandbox: a page with every switch for people, the same as JSON for scripts.
// It serves only this machine: foreign host names, and changes that another site's page sends, are refused.
import { ZodError } from 'zod'
import { readForm, readText, type Behaviour, type Exchange } from '../http-server.ts'
import { mailPage } from '../mail.ts'
import { html, redirect, sendJson, sendPage } from '../pages.ts'
import type { Sandbox } from '../running.ts'
import { switchesFromForm } from './form.ts'
import { controlPage } from './page.ts'
import { presets } from './presets.ts'

type Show = (sandbox: Sandbox, exchange: Exchange) => unknown

const shown: Record<string, Show> = {
  'GET /': (sandbox, { res }) => sendPage(res, controlPage(sandbox)),
  'GET /mail': async ({ mail }, { res, url }) =>
    sendPage(res, await mailPage(mail?.mails ?? [], url.searchParams.get('to') ?? '')),
  'GET /mail.json': ({ mail }, { res }) => sendJson(res, mail?.mails ?? []),
  'GET /control.json': (sandbox, { res }) => sendJson(res, describe(sandbox)),
  'PATCH /control.json': async ({ switches }, { req, res }) =>
    sendJson(res, switches.set(JSON.parse(await readText(req)))),
  'GET /requests.json': (sandbox, { res, url }) => sendJson(res, requests(sandbox, url.searchParams)),
}

/** A browser is sent back to the page afterwards; a script gets the result. */
type Change = (sandbox: Sandbox, form: URLSearchParams) => unknown

const changes: Record<string, Change> = {
  'DELETE /requests.json': (sandbox) => sandbox.clearRequests(),
  'POST /control/switches': ({ switches }, form) => switches.set(switchesFromForm(form, switches.get())),
  'POST /control/reset': (sandbox) => sandbox.reset(),
  'POST /control/clear-requests': (sandbox) => sandbox.clearRequests(),
  'POST /control/expire-tokens': (sandbox) => sandbox.expireTokens(),
  'POST /control/rotate-keys': (sandbox) => sandbox.rotateKeys(),
  'POST /control/end-sessions': (sandbox) => sandbox.endSessions(),
  'POST /control/authorize': ({ authorize }, form) =>
    authorize(form.get('person') ?? '', form.get('instance') ?? ''),
  'POST /control/unauthorize': ({ unauthorize }, form) =>
    unauthorize(form.get('person') ?? '', form.get('instance') ?? ''),
  ...Object.fromEntries(
    presets.map(({ name, switches: wanted }) => [
      `POST /control/preset/${name}`,
      ({ switches }: Sandbox) => {
        switches.reset()
        return switches.set(wanted)
      },
    ]),
  ),
}

/** The control server of a sandbox. */
export function createControl(sandbox: Sandbox): Behaviour {
  return {
    operation: () => 'control',
    async handle(exchange) {
      const { req, res, path } = exchange
      const name = `${req.method} ${path}`
      try {
        if (isForeign(exchange)) sendJson(res, { error: 'only from this machine and this page' }, 403)
        else if (shown[name]) await shown[name](sandbox, exchange)
        else if (changes[name]) done(exchange, await changes[name](sandbox, await readForm(req)))
        else sendJson(res, { error: 'not found' }, 404)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        sendProblems(exchange, error instanceof ZodError ? error.issues.map(inWords) : [error.message])
      }
    },
  }
}

function sendProblems(exchange: Exchange, problems: string[]): void {
  if (!wantsPage(exchange)) return sendJson(exchange.res, { error: problems.join('; ') }, 400)
  const body = html`<ul>
      ${problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>
    <p><a href="/">Back</a></p>`
  sendPage(exchange.res, { title: 'Invalid value', site: 'Control panel', body }, 400)
}

function inWords({ path, message }: ZodError['issues'][number]): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function done(exchange: Exchange, result: unknown): void {
  if (wantsPage(exchange)) redirect(exchange.res, '/', 303)
  else sendJson(exchange.res, result ?? { done: true })
}

function describe({ urls, switches, people, state, serviceTokens, rate }: Sandbox) {
  return {
    urls,
    switches: switches.get(),
    rate: rate(),
    people: people.map(({ id, name, email }) => ({ id, name, email, state: state(id) })),
    serviceTokens: { global: serviceTokens.global },
  }
}

function requests(sandbox: Sandbox, wanted: URLSearchParams) {
  const fits = (name: string, value: string) => !wanted.has(name) || wanted.get(name) === value
  return sandbox.requests.filter(
    ({ server, operation }) => fits('server', server) && fits('operation', operation),
  )
}

function wantsPage({ req }: Exchange): boolean {
  return req.headers.accept?.includes('text/html') ?? false
}

function isForeign({ req }: Exchange): boolean {
  const host = req.headers.host ?? ''
  const site = req.headers['sec-fetch-site'] ?? 'none'
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  return !local || (req.method !== 'GET' && site !== 'none' && site !== 'same-origin')
}
