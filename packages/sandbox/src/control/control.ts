// Control of the sandbox: a page with every switch for people, the same as JSON for scripts.
// Only from the machine itself: requests that a foreign page makes, and foreign host names, are refused.
import { ZodError } from 'zod'
import { readForm, readText } from '../service/bodies.ts'
import { switchesFromForm } from './form.ts'
import { controlPage } from './page.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import { mailPage } from '../mail.ts'
import { html, redirect, sendJson, sendPage } from '../pages.ts'
import type { Sandbox } from '../running.ts'

type Action = (sandbox: Sandbox, exchange: Exchange) => unknown

const actions: Record<string, Action> = {
  'GET /': (sandbox, { res }) => sendPage(res, controlPage(sandbox)),
  'GET /mail': async ({ mail }, { res, url }) =>
    sendPage(res, await mailPage(mail?.mails ?? [], url.searchParams.get('to') ?? '')),
  'GET /mail.json': (sandbox, { res }) => sendJson(res, sandbox.mail?.mails ?? []),
  'GET /control.json': (sandbox, { res }) => sendJson(res, describe(sandbox)),
  'PATCH /control.json': async (sandbox, { req, res }) => {
    sendJson(res, sandbox.switches.set(JSON.parse(await readText(req))))
  },
  'GET /requests.json': (sandbox, { res, url }) => sendJson(res, requests(sandbox, url.searchParams)),
  'DELETE /requests.json': (sandbox, exchange) => done(exchange, sandbox.clearRequests()),
  'POST /control/switches': async (sandbox, exchange) => {
    done(
      exchange,
      sandbox.switches.set(switchesFromForm(await readForm(exchange.req), sandbox.switches.get())),
    )
  },
  'POST /control/reset': (sandbox, exchange) => done(exchange, sandbox.reset()),
  'POST /control/clear-requests': (sandbox, exchange) => done(exchange, sandbox.clearRequests()),
  'POST /control/expire-tokens': (sandbox, exchange) => done(exchange, sandbox.expireTokens()),
  'POST /control/rotate-keys': async (sandbox, exchange) => done(exchange, await sandbox.rotateKeys()),
  'POST /control/end-sessions': async (sandbox, exchange) => done(exchange, await sandbox.endSessions()),
  'POST /control/authorize': async (sandbox, exchange) =>
    done(exchange, await change(exchange, sandbox.authorize)),
  'POST /control/unauthorize': async (sandbox, exchange) =>
    done(exchange, await change(exchange, sandbox.unauthorize)),
}

/** The control server of a sandbox. */
export function createControl(sandbox: Sandbox): Behaviour {
  return {
    operation: () => 'control',
    async handle(exchange) {
      const { req, res, path } = exchange
      const action = actions[`${req.method} ${path}`]
      if (isForeign(exchange)) sendJson(res, { error: 'only from this machine and this page' }, 403)
      else if (!action) sendJson(res, { error: 'there is nothing here' }, 404)
      else await act(exchange, () => action(sandbox, exchange))
    },
  }
}

async function act({ req, res }: Exchange, action: () => unknown): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const problems = error instanceof ZodError ? error.issues.map(inWords) : [error.message]
    if (!wantsPage(req.headers.accept)) sendJson(res, { error: problems.join('; ') }, 400)
    else {
      const body = html`<ul>
          ${problems.map((problem) => html`<li>${problem}</li>`)}
        </ul>
        <p><a href="/">Back</a></p>`
      sendPage(res, { title: 'That does not fit', site: 'Control', body }, 400)
    }
  }
}

function inWords({ path, message }: ZodError['issues'][number]): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function done({ req, res }: Exchange, result: unknown): void {
  if (wantsPage(req.headers.accept)) redirect(res, '/', 303)
  else sendJson(res, result ?? { done: true })
}

async function change({ req }: Exchange, apply: (personId: string, instance: string) => void): Promise<void> {
  const form = await readForm(req)
  apply(form.get('person') ?? '', form.get('instance') ?? '')
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

function wantsPage(accept = ''): boolean {
  return accept.includes('text/html')
}

function isForeign({ req }: Exchange): boolean {
  const host = req.headers.host ?? ''
  const site = req.headers['sec-fetch-site'] ?? 'none'
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  return !local || (req.method !== 'GET' && site !== 'none' && site !== 'same-origin')
}
