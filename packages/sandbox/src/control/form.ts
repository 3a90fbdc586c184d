// The switches as fields of a form, and back. What a field looks like follows from the switch's schema and value;
// objects (answers, faults, …) are edited as JSON.
import { z } from 'zod'
import { html, type Html } from '../pages.ts'
import { switchesSchema, type Switches } from './switches.ts'

type Name = keyof Switches

const names = Object.keys(switchesSchema.shape) as Name[]

/** Texts that may be empty, which is null. */
const optionalTexts: Name[] = ['tenantRedirectUrl', 'date']

/** The values that a switch can take, where it takes only a few. */
function choicesOf(name: Name): string[] | undefined {
  const schema = switchesSchema.shape[name].unwrap()
  return schema instanceof z.ZodEnum ? schema.options : undefined
}

/** One field a switch, filled with its value. */
export function switchFields(switches: Switches): Html[] {
  return names.map((name) => {
    const value = switches[name]
    const label = html`${switchesSchema.shape[name].description}<br /><small>${name}</small>`
    if (typeof value === 'boolean')
      return html`<label><input type="checkbox" name="${name}" ${value && 'checked'} /> ${label}</label>`
    return html`<label>${label} ${input(name, value)}</label>`
  })
}

function input(name: Name, value: Switches[Name]): Html {
  const choices = choicesOf(name)
  if (choices) {
    return html`<select name="${name}">
      ${choices.map((choice) => html`<option ${choice === value && 'selected'}>${choice}</option>`)}
    </select>`
  }
  if (optionalTexts.includes(name))
    return html`<input type="text" name="${name}" value="${typeof value === 'string' ? value : ''}" />`
  const json = JSON.stringify(value, null, 2)
  return typeof value === 'object'
    ? html`<textarea name="${name}" spellcheck="false">${json}</textarea>`
    : html`<input type="text" name="${name}" value="${json}" />`
}

/**
 * The switches in a sent form; a missing checkbox is one that is off.
 * @throws SyntaxError for a field that is not the JSON it should be
 */
export function switchesFromForm(form: URLSearchParams, current: Switches): Partial<Switches> {
  const given = names.map((name) => [name, fromField(name, form.get(name), current[name])])
  const removed = Object.keys(current.answers).map((operation) => [operation, null])
  const switches: Partial<Switches> = Object.fromEntries(given)
  return { ...switches, answers: { ...Object.fromEntries(removed), ...switches.answers } }
}

function fromField(name: Name, field: string | null, current: Switches[Name]): unknown {
  if (typeof current === 'boolean') return field !== null
  if (field === null) return current
  if (optionalTexts.includes(name)) return field === '' ? null : field
  return choicesOf(name) ? field : JSON.parse(field)
}
