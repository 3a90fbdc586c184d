// Templates of views/, compiled once. What is printed is escaped; a name that the page was not given is an error, at
// the top (a proxy) as well as below (printing undefined).
import { Eta } from 'eta'

export type RenderView = (view: string, data: Record<string, unknown>) => string

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError(`a view prints ${typeof value}, which is not text`)
  return value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** Behind what a view was given stands this: whatever is not there is an error, even in a condition. */
const missing: object = new Proxy(
  {},
  {
    get(_target, name) {
      if (typeof name === 'string') throw new ReferenceError(`a view needs "${name}", which it was not given`)
    },
  },
)

/** @param folder the path of views/ */
export function createViews(folder: string): RenderView {
  const eta = new Eta({ views: folder, cache: true, escapeFunction: escape, autoTrim: ['nl', 'nl'] })
  const render = eta.render.bind(eta)
  // Layouts and included views are rendered by this method too, each with data of its own.
  eta.render = (view, data, meta) => render(view, { __proto__: missing, ...data }, meta)
  return (view, data) => eta.render(`./${view}`, data)
}
