// Finds the route of a request for the log and the metrics: its pattern, never its address. A request refused before it
// has a route counts under the first part of its path.
import type { Request } from 'express'

/** The list is fixed, because anyone can request any path, and each route is a label in the metrics. */
const SECTIONS: ReadonlySet<string> = new Set([
  '',
  ...'admin api approvals assets deprecations deprecations.ics deprecations.json favicon.ico healthz invite'.split(
    ' ',
  ),
  ...'metrics onboarding readyz search sessions sign-in sign-out signed-out widget.js'.split(' '),
])

/** The pattern, else the first part (`/onboarding`); undefined for other paths. */
export function routeOf(req: Request): string | undefined {
  const { path } = (req.route ?? {}) as { path?: string | string[] }
  if (path !== undefined) return [path].flat().at(-1)
  const [, section = ''] = /^(?:https?:\/\/[^/]*)?\/?([^/?#]*)/.exec(req.originalUrl.toLowerCase()) ?? []
  return SECTIONS.has(section) ? `/${section}` : undefined
}
