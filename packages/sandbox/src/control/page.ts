// The control page: the addresses, who has authorized what, every switch, the schedule, and the last requests.
import { html, table, type Html, type Page } from '../pages.ts'
import type { Datasource, Person } from '../people.ts'
import type { Sandbox } from '../running.ts'
import { deprecationSchedule } from '../service/deprecation-schedule.ts'
import { dayOf, stateOn } from '../service/deprecations.ts'
import { switchFields } from './form.ts'
import { presets } from './presets.ts'

const SHOWN_REQUESTS = 60
const SHOWN_PEOPLE = 60

/** The page for the sandbox as it is now. */
export function controlPage(sandbox: Sandbox): Page {
  const body = html`
    <p class="note">Everything is kept in memory and lost when the sandbox stops.</p>
    <div class="buttons">
      ${action('reset', 'Reset everything')} ${action('expire-tokens', 'Expire access tokens')}
      ${action('rotate-keys', 'Rotate signing keys')} ${action('end-sessions', 'Sign everyone out')}
    </div>
    <h2>Simulate problems</h2>
    <div class="buttons">${presets.map(({ name, label }) => action(`preset/${name}`, label))}</div>
    <h2>Endpoints</h2>
    ${addresses(sandbox)} ${sandbox.mail && html`<p><a href="/mail">Inbox</a></p>`}
    <h2>People</h2>
    ${sandbox.people.slice(0, SHOWN_PEOPLE).map((person) => personBlock(sandbox, person))}
    <h2>Switches</h2>
    <form method="post" action="/control/switches">
      <div class="fields">${switchFields(sandbox.switches.get())}</div>
      <button class="first" type="submit">Save</button>
    </form>
    <h2 id="deprecations">Deprecations</h2>
    ${schedule(dayOf(sandbox.switches.get().date))}
    <h2>Recent requests</h2>
    ${journal(sandbox)}
  `
  return { title: 'Control panel', site: 'Sandbox', body, wide: true }
}

function action(path: string, label: string): Html {
  return html`<form method="post" action="/control/${path}"><button type="submit">${label}</button></form>`
}

function addresses({ urls, serviceTokens }: Sandbox): Html {
  const rows = Object.entries(urls).map(
    ([name, url]) =>
      html`<dt>${name}</dt>
        <dd><a href="${url}/">${url}</a></dd>`,
  )
  return html`<dl>
    ${rows}
    <dt>Global service token</dt>
    <dd><code>${serviceTokens.global}</code></dd>
  </dl>`
}

function personBlock(sandbox: Sandbox, { id, name, email, datasources }: Person): Html {
  const state = sandbox.state(id)
  const done = Object.values(state).filter((one) => one === 'authorized').length
  return html`<details>
    <summary>${name} <small>${email} · ${done} of ${datasources.length} authorized</small></summary>
    <p class="note">Service token: <code>${sandbox.serviceTokens.user(id)}</code></p>
    ${table(
      [],
      datasources.map((datasource) => datasourceRow(id, datasource, state[datasource.instance])),
    )}
  </details>`
}

function datasourceRow(personId: string, datasource: Datasource, state = 'waiting'): Html[] {
  const { instance, displayName = '', authStatus } = datasource
  const turn = state === 'waiting' ? 'authorize' : 'unauthorize'
  return [
    html`<bdi>${displayName.slice(0, 80)}</bdi> <small>${instance}</small>`,
    html`${state} ${authStatus && html`<small>${authStatus}</small>`}`,
    html`<form method="post" action="/control/${turn}">
      <input type="hidden" name="person" value="${personId}" />
      <input type="hidden" name="instance" value="${instance}" />
      <button class="inline" type="submit">${turn}</button>
    </form>`,
  ]
}

function schedule(day: string): Html {
  const rows = deprecationSchedule.map((row) => {
    const { operation, field, topLevel, replacement, remark, announced, removal } = row
    const name = topLevel ? html`${field} <small>top level</small>` : field
    return [operation, name, replacement ?? remark ?? 'none', announced, removal, stateOn(row, day)]
  })
  return html`<p class="note">As of ${day}. Change it with the <code>date</code> switch.</p>
    ${table(['Operation', 'Field', 'Replacement', 'Announced', 'Removal', 'State'], rows)}`
}

function journal({ requests }: Sandbox): Html {
  const last = requests.slice(-SHOWN_REQUESTS).toReversed()
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
