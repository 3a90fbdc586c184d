// Compiles the templates of views/ once. Printed values are escaped, and reading an undefined name is an error.
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'

export const VIEWS_FOLDER = fileURLToPath(new URL('../../views', import.meta.url))

/** Prototype of every view's data: reading an undefined name throws, even in a condition. */
const missing: object = new Proxy(
  {},
  {
    get(_target, name) {
      if (typeof name === 'string') throw new ReferenceError(`a view needs "${name}", which it was not given`)
    },
  },
)

export const escapeHtml = new Eta().config.escapeFunction as (value: string | number) => string

export function createViews(folder = VIEWS_FOLDER): (view: string, data: Record<string, unknown>) => string {
  const eta = new Eta({ views: folder, cache: true, autoTrim: ['nl', 'nl'] })
  eta.config.escapeFunction = (value) => {
    if (typeof value === 'string' || typeof value === 'number') return escapeHtml(value)
    throw new TypeError(`a view prints ${typeof value}, which is not text`)
  }
  const render = eta.render.bind(eta)
  // This method also renders layouts and included views, each with its own data.
  eta.render = (view, data, meta) => render(view, { __proto__: missing, ...data }, meta)
  const resolve = eta.resolvePath?.bind(eta)
  const paths = new Map<string, string>()
  eta.resolvePath = (view, options) => {
    const path = paths.get(view) ?? resolve?.(view, options) ?? view
    // Other names are relative, so they mean different files in different views.
    if (view.startsWith('/')) paths.set(view, path)
    return path
  }
  return (view, data) => eta.render(`/${view}`, data)
}
