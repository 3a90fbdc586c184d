// Which route a request belongs to, for the log and the metrics: its pattern, never its address. What is refused before it
// is routed has no route in Express: it counts under the first part of its path.
import type { Request } from 'express'

/** First parts of our paths; a list, because anyone can ask for any path, and each route is a label in the metrics. */
const SECTIONS: ReadonlySet<string> = new Set([
  '',
  ...'admin api assets deprecations deprecations.ics deprecations.json favicon.ico healthz invite'.split(' '),
  ...'metrics onboarding readyz search sessions sign-in sign-out signed-out widget.js'.split(' '),
])

/** The pattern; else the beginning, as `/onboarding`; undefined where there is no such route. */
export function routeOf(req: Request): string | undefined {
  const { path } = (req.route ?? {}) as { path?: string | string[] }
  if (path !== undefined) return [path].flat().at(-1)
  const [, section = ''] = /^(?:https?:\/\/[^/]*)?\/?([^/?#]*)/.exec(req.originalUrl.toLowerCase()) ?? []
  return SECTIONS.has(section) ? `/${section}` : undefined
}
