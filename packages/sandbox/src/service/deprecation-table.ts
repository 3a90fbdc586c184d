// The schedule of deprecations on the control page, as it stands on the day of the switch `date`.
import { deprecationSchedule, type Deprecated } from './deprecation-schedule.ts'
import { dayOf, stateOn } from './deprecations.ts'
import { html, type Html } from '../pages.ts'

/** The schedule as a table; `date` is the switch. */
export function deprecationTable(date: string | null): Html {
  const day = dayOf(date)
  return html`<p class="note">As of ${day}. The switch <code>date</code> says which day it is.</p>
    <div class="scroll">
      <table>
        <tr>
          <th>Operation</th>
          <th>Field</th>
          <th>Replacement</th>
          <th>Announced</th>
          <th>Removal</th>
          <th>State</th>
        </tr>
        ${deprecationSchedule.map((row) => rowOf(row, day))}
      </table>
    </div>`
}

function rowOf(row: Deprecated, day: string): Html {
  const { operation, field, topLevel, replacement, remark, announced, removal } = row
  return html`<tr>
    <td>${operation}</td>
    <td>${field} ${topLevel && html`<small>top level</small>`}</td>
    <td>${replacement ?? remark ?? 'none stated'}</td>
    <td>${announced}</td>
    <td>${removal}</td>
    <td>${stateOn(row, day)}</td>
  </tr>`
}
