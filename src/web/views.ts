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
  return /[&<>"']/.test(value) ? value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '') : value
}

const strict = (data: Record<string, unknown>, view: string) =>
  new Proxy(data, {
    get(target, name) {
      if (typeof name === 'string' && !(name in target)) throw new ReferenceError(`${view} needs "${name}"`)
      return Reflect.get(target, name)
    },
  })

/** @param folder the path of views/ */
export function createViews(folder: string): RenderView {
  const eta = new Eta({
    views: folder,
    cache: true,
    escapeFunction: escape,
    autoTrim: ['nl', 'nl'],
  })
  return (view, data) => eta.render(`./${view}`, strict(data, view))
}
