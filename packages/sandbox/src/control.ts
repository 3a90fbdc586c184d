// The control panel: a page with every switch, JSON of the same for scripts, and the inbox.
// It refuses foreign host names and changes from other sites' pages.
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { RequestHandler, Exchange } from './http-server.ts'
import { mailPage } from './mail.ts'
import { html, redirect, sendJson, sendPage, type Html } from './pages.ts'
import type { Datasource, Person } from './people.ts'
import { deprecationSchedule } from './service/contract.ts'
import { stateOn } from './service/service.ts'
import { switchesSchema, type Switches } from './switches.ts'
import type { Sandbox } from './backend.ts'

const networkFailure = { close: true }
const signInDown = { authorizationServer: networkFailure, externalIdp: networkFailure }

/** Each preset is a button, which first resets the other switches. */
const presets: { name: string; label: string; switches: Partial<Switches> }[] = [
  { name: 'well', label: 'Everything works', switches: {} },
  { name: 'deny', label: 'Everyone denies', switches: { denyAll: true } },
  { name: 'slow', label: 'Consents take effect after 30 s', switches: { consentDelaySeconds: 30 } },
  { name: 'lag', label: 'The service takes 2 s', switches: { latencyMs: 2_000 } },
  { name: 'busy', label: 'The service is busy', switches: { rateLimit: { perSecond: 0.2, burst: 1 } } },
  { name: 'down', label: 'The service is down', switches: { answers: { service: networkFailure } } },
  { name: 'sign-in-down', label: 'Sign-in is down', switches: { answers: signInDown } },
]

type Routes = Record<string, (exchange: Exchange) => unknown>

export function createControl(sandbox: Sandbox): RequestHandler {
  const { switches, mail } = sandbox
  const pages: Routes = {
    'GET /': ({ res }) => sendPage(res, controlPage(sandbox)),
    'GET /mail': async ({ res, url }) =>
      sendPage(res, await mailPage(mail?.emails ?? [], url.searchParams.get('to') ?? '')),
    'GET /control.json': ({ res }) =>
      sendJson(res, {
        urls: sandbox.urls,
        switches: switches.get(),
        rate: sandbox.rate(),
        people: sandbox.people.map(({ id, name, email }) => ({ id, name, email, state: sandbox.state(id) })),
        serviceTokens: { global: sandbox.serviceTokens.global },
      }),
    'PATCH /control.json': async ({ req, res }) => sendJson(res, switches.set(JSON.parse(await text(req)))),
    'GET /requests.json': ({ res }) => sendJson(res, sandbox.requests),
  }
  const changeAuthorization = (name: 'authorize' | 'unauthorize') => async (exchange: Exchange) => {
    const form = await exchange.form()
    sandbox[name](form.get('person') ?? '', form.get('instance') ?? '')
  }
  /** After a change, a browser returns to the page, and a script gets the result. */
  const changes: Routes = {
    'DELETE /requests.json': sandbox.clearRequests,
    'POST /control/switches': async ({ form }) =>
      switches.set(switchesFromForm(await form(), switches.get())),
    'POST /control/reset': sandbox.reset,
    'POST /control/expire-tokens': sandbox.expireTokens,
    'POST /control/rotate-keys': sandbox.rotateKeys,
    'POST /control/end-sessions': () => sandbox.endSessions(),
    'POST /control/authorize': changeAuthorization('authorize'),
    'POST /control/unauthorize': changeAuthorization('unauthorize'),
  }
  for (const preset of presets)
    changes[`POST /control/preset/${preset.name}`] = () => {
      switches.reset()
      return switches.set(preset.switches)
    }

  return {
    operation: () => 'control',
    async handle(exchange) {
      const { req, res, path } = exchange
      const name = `${req.method} ${path}`
      try {
        if (isForeign(exchange)) return sendJson(res, { error: 'only from this machine and this page' }, 403)
        if (pages[name]) return void (await pages[name](exchange))
        if (!changes[name]) return sendJson(res, { error: 'not found' }, 404)
        const result = await changes[name](exchange)
        if (wantsPage(exchange)) redirect(res, '/', 303)
        else sendJson(res, result ?? { done: true })
      } catch (error) {
        sendProblem(exchange, error instanceof z.ZodError ? z.prettifyError(error) : String(error))
      }
    },
  }
}

function sendProblem(exchange: Exchange, problem: string): void {
  if (!wantsPage(exchange)) return sendJson(exchange.res, { error: problem }, 400)
  const body = html`<pre>${problem}</pre>
    <p><a href="/">Back</a></p>`
  sendPage(exchange.res, { title: 'Invalid value', site: 'Control panel', body }, 400)
}

const wantsPage = ({ req }: Exchange) => req.headers.accept?.includes('text/html') ?? false

function isForeign({ req }: Exchange): boolean {
  const host = req.headers.host ?? ''
  const site = req.headers['sec-fetch-site'] ?? 'none'
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  return !local || (req.method !== 'GET' && site !== 'none' && site !== 'same-origin')
}

const SHOWN = 60

function controlPage(sandbox: Sandbox) {
  const body = html`
    <p class="note">Everything is kept in memory and lost when the sandbox stops.</p>
    <div class="buttons">
      ${actionButton('reset', 'Reset everything')} ${actionButton('expire-tokens', 'Expire access tokens')}
      ${actionButton('rotate-keys', 'Rotate signing keys')}
      ${actionButton('end-sessions', 'Sign everyone out')}
    </div>
    <h2>Simulate problems</h2>
    <div class="buttons">${presets.map(({ name, label }) => actionButton(`preset/${name}`, label))}</div>
    <h2>Endpoints</h2>
    ${table(
      ['Server', 'Address'],
      Object.entries(sandbox.urls).map(([name, url]) => [name, html`<a href="${url}/">${url}</a>`]),
    )}
    <p>Global service token: <code>${sandbox.serviceTokens.global}</code></p>
    ${sandbox.mail && html`<p><a href="/mail">Inbox</a></p>`}
    <h2>People</h2>
    ${sandbox.people.slice(0, SHOWN).map((person) => personBlock(sandbox, person))}
    <h2>Switches</h2>
    <form method="post" action="/control/switches">
      <div class="fields">${switchNames.map((name) => switchField(name, sandbox.switches.get()[name]))}</div>
      <button class="first" type="submit">Save</button>
    </form>
    <h2 id="deprecations">Deprecations</h2>
    ${scheduleTable(sandbox.switches.day())}
    <h2>Recent requests</h2>
    ${requestTable(sandbox)}
  `
  return { title: 'Control panel', site: 'Sandbox', body, wide: true }
}

const actionButton = (path: string, label: string) =>
  html`<form method="post" action="/control/${path}"><button type="submit">${label}</button></form>`

type Cell = Parameters<typeof html>[1]

/** A table that scrolls on narrow pages. @param head column names */
function table(head: string[], rows: Cell[][]): Html {
  const line = (cells: Cell[]) =>
    html`<tr>
      ${cells}
    </tr>`
  // The tabindex lets a keyboard scroll it.
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

function personBlock(sandbox: Sandbox, { id, name, email, datasources }: Person): Html {
  const state = sandbox.state(id)
  const authorizedCount = Object.values(state).filter((entry) => entry === 'authorized').length
  return html`<details>
    <summary>
      ${name} <small>${email} · ${authorizedCount} of ${datasources.length} authorized</small>
    </summary>
    <p class="note">Service token: <code>${sandbox.serviceTokens.user(id)}</code></p>
    ${table(
      ['Datasource', 'State', 'Change'],
      datasources.map((datasource) => datasourceRow(id, datasource, state[datasource.instance])),
    )}
  </details>`
}

function datasourceRow(personId: string, datasource: Datasource, state = 'waiting'): Html[] {
  const { instance, displayName = '', authStatus } = datasource
  const action = state === 'waiting' ? 'authorize' : 'unauthorize'
  return [
    html`<bdi>${displayName.slice(0, 80)}</bdi> <small>${instance}</small>`,
    html`${state} ${authStatus && html`<small>${authStatus}</small>`}`,
    html`<form method="post" action="/control/${action}">
      <input type="hidden" name="person" value="${personId}" />
      <input type="hidden" name="instance" value="${instance}" />
      <button class="inline" type="submit">${action}</button>
    </form>`,
  ]
}

function scheduleTable(day: string): Html {
  const rows = deprecationSchedule.map((row) => {
    const { operation, field, topLevel, replacement, remark, announced, removal } = row
    const name = topLevel ? html`${field} <small>top level</small>` : field
    return [operation, name, replacement ?? remark ?? 'none', announced, removal, stateOn(row, day)]
  })
  return html`<p class="note">As of ${day}. Change it with the <code>date</code> switch.</p>
    ${table(['Operation', 'Field', 'Replacement', 'Announced', 'Removal', 'State'], rows)}`
}

function requestTable({ requests }: Sandbox): Html {
  const last = requests.slice(-SHOWN).toReversed()
  const rows = last.map(({ at, server, operation, method, status, person, mistake }) => [
    at.slice(11, 19),
    server,
    `${method} ${operation}`,
    [status === 0 ? 'no response' : status, mistake && html` <small>The client ${mistake}</small>`],
    person,
  ])
  return html`${table(['Time', 'Server', 'Operation', 'Status', 'Person'], rows)}
    <p><a href="/requests.json">View all as JSON</a></p>`
}

const switchNames = Object.keys(switchesSchema.shape) as (keyof Switches)[]

/** A checkbox or a text field; objects are shown as JSON. */
function switchField(name: keyof Switches, value: Switches[keyof Switches]): Html {
  const label = html`${switchesSchema.shape[name].description}<br /><small>${name}</small>`
  if (typeof value === 'boolean')
    return html`<label><input type="checkbox" name="${name}" ${value && 'checked'} /> ${label}</label>`
  const input =
    value !== null && typeof value === 'object'
      ? html`<textarea name="${name}" spellcheck="false">${JSON.stringify(value, null, 2)}</textarea>`
      : html`<input type="text" name="${name}" value="${value ?? ''}" />`
  return html`<label>${label} ${input}</label>`
}

/** A missing checkbox means off, and an empty text null. */
function switchesFromForm(form: URLSearchParams, current: Switches): Partial<Switches> {
  const given = switchNames.map((name) => {
    const value = form.get(name)
    if (typeof current[name] === 'boolean') return [name, value !== null]
    return [name, value === null ? current[name] : value === '' ? null : jsonOrText(value)]
  })
  const removals = Object.keys(current.answers).map((operation) => [operation, null])
  const switches: Partial<Switches> = Object.fromEntries(given)
  return { ...switches, answers: { ...Object.fromEntries(removals), ...switches.answers } }
}

/** Text that isn't JSON, such as a date, stays unchanged. */
function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
