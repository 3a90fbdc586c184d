// The control page: what runs where, who has authorized what, every switch, and what was asked last.
import { switchFields } from './form.ts'
import { deprecationTable } from '../service/deprecation-table.ts'
import { html, type Html, type Page } from '../pages.ts'
import type { Datasource, Person } from '../people.ts'
import type { Sandbox } from '../running.ts'

const shownRequests = 60
const shownPeople = 60

/** The page for the sandbox as it is now. */
export function controlPage(sandbox: Sandbox): Page {
  const body = html`
    <p class="note">Everything here is in memory and gone when the sandbox stops.</p>
    <div class="buttons">
      ${action('reset', 'Reset everything')} ${action('expire-tokens', 'Expire access tokens')}
      ${action('rotate-keys', 'Rotate signing keys')} ${action('end-sessions', 'Sign everybody out')}
    </div>
    <h2>Where</h2>
    ${addresses(sandbox)} ${sandbox.mail && html`<p><a href="/mail">Mail that arrived</a></p>`}
    <h2>People</h2>
    ${sandbox.people.slice(0, shownPeople).map((person) => personBlock(sandbox, person))}
    <h2>Switches</h2>
    <form method="post" action="/control/switches">
      <div class="fields">${switchFields(sandbox.switches.get())}</div>
      <button class="first">Save the switches</button>
    </form>
    <h2 id="deprecations">Deprecations</h2>
    ${deprecationTable(sandbox.switches.get().date)}
    <h2>Last requests</h2>
    ${journal(sandbox)}
  `
  return { title: 'Control', site: 'Sandbox of the service', body, wide: true }
}

function action(path: string, label: string): Html {
  return html`<form method="post" action="/control/${path}"><button>${label}</button></form>`
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

function personBlock(sandbox: Sandbox, person: Person): Html {
  const state = sandbox.state(person.id)
  const done = Object.values(state).filter((one) => one === 'authorized').length
  return html`<details>
    <summary>
      ${person.name} <small>${person.email} · ${done} of ${person.datasources.length} authorized</small>
    </summary>
    <p class="note">Service token: <code>${sandbox.serviceTokens.user(person.id)}</code></p>
    <div class="scroll">
      <table>
        ${person.datasources.map((datasource) => datasourceRow(person, datasource, state[datasource.instance]))}
      </table>
    </div>
  </details>`
}

function datasourceRow(
  { id }: Person,
  { instance, displayName = '', authStatus }: Datasource,
  state = 'waiting',
): Html {
  const turn = state === 'waiting' ? 'authorize' : 'unauthorize'
  return html`<tr>
    <td><bdi>${displayName.slice(0, 80)}</bdi> <small>${instance}</small></td>
    <td>${state} ${authStatus && html`<small>${authStatus}</small>`}</td>
    <td>
      <form method="post" action="/control/${turn}">
        <input type="hidden" name="person" value="${id}" /><input
          type="hidden"
          name="instance"
          value="${instance}"
        />
        <button class="inline">${turn}</button>
      </form>
    </td>
  </tr>`
}

function journal({ requests }: Sandbox): Html {
  const rows = requests
    .slice(-shownRequests)
    .toReversed()
    .map(
      ({ at, server, operation, method, status, person, mistake }) =>
        html`<tr>
          <td>${at.slice(11, 19)}</td>
          <td>${server}</td>
          <td>${method} ${operation}</td>
          <td>
            ${status === 0 ? 'no answer' : status}${mistake && html` <small>The client ${mistake}</small>`}
          </td>
          <td>${person}</td>
        </tr>`,
    )
  return html`<div class="scroll">
      <table>
        <tr>
          <th>Time</th>
          <th>Server</th>
          <th>Operation</th>
          <th>Status</th>
          <th>Person</th>
        </tr>
        ${rows}
      </table>
    </div>
    <p><a href="/requests.json">All of them as JSON</a></p>`
}
