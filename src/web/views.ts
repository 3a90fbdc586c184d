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
  // With these, a page in English stays ASCII, which Node writes twice as fast (web/pages.ts).
  '’': '&rsquo;',
  '“': '&ldquo;',
  '”': '&rdquo;',
  '…': '&hellip;',
}
const ESCAPED = new RegExp(`[${Object.keys(ESCAPES).join('')}]`, 'g')
const NEEDS_ESCAPE = new RegExp(ESCAPED.source)

function escape(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError(`a view prints ${typeof value}, which is not text`)
  return NEEDS_ESCAPE.test(value) ? escaped(value) : value
}

/** How long a text is in the page, where `“` takes seven letters. */
export const writtenLength = (text: string): number => escape(text).length

const MAX_KEPT = 1_000
const kept = new Map<string, string>()

/** The sentences of a page come again with every page, and replacing what is in them takes 1 µs for each. */
function escaped(value: string): string {
  const known = kept.get(value)
  if (known !== undefined) return known
  const result = value.replaceAll(ESCAPED, (character) => ESCAPES[character] ?? '')
  if (value.length > 200) return result
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(value, result)
  return result
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

const strict = <T extends object>(data: T): T => ({ __proto__: missing, ...data })

/** @param folder the path of views/ */
export function createViews(folder: string): RenderView {
  const eta = new Eta({
    views: folder,
    cache: true,
    escapeFunction: escape,
    autoTrim: ['nl', 'nl'],
  })
  const paths = new Map<string, string>()
  const resolvePath = eta.resolvePath?.bind(eta)
  // Where a view lies does not change; working it out at every rendering costs more than the rendering.
  if (resolvePath !== undefined)
    eta.resolvePath = (view, options) => {
      const key = `${options?.filepath ?? ''} ${view}`
      const known = paths.get(key) ?? resolvePath(view, options)
      paths.set(key, known)
      return known
    }
  const render = eta.render.bind(eta)
  // Layouts and included views are rendered by this method too, each with data of its own.
  eta.render = (view, data, meta) => render(view, strict(data), meta)
  return (view, data) => eta.render(`./${view}`, data)
}
