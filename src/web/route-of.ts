// Which route a request belongs to, for the log and the metrics: its pattern, never its address. What surprises: what is
// refused before it is routed has no route in Express, so the pattern that it would have found is looked up.
import type { Express, Request } from 'express'

type Layer = { route?: { path: unknown }; handle: { stack?: Layer[] } }

const patternsOfApps = new WeakMap<Express, string[]>()

/** Every pattern of the app; those with fewer parameters first, as "/invite" before "/:anything". */
function patternsOf(app: Express): string[] {
  const known = patternsOfApps.get(app)
  if (known !== undefined) return known
  const inside = (layers: Layer[]): unknown[] =>
    layers.flatMap(({ route, handle }) => (route === undefined ? inside(handle.stack ?? []) : route.path))
  const all = inside(app.router.stack as unknown as Layer[]).filter((path) => typeof path === 'string')
  const parameters = (pattern: string) => pattern.split(':').length
  const patterns = [...new Set(all)].toSorted((one, other) => parameters(one) - parameters(other))
  patternsOfApps.set(app, patterns)
  return patterns
}

/** As Express matches: without regard to case or a slash at the end. A parameter that cannot be decoded fits too. */
function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern, path].map((text) => text.replace(/(.)\/$/, '$1').split('/'))
  return (
    wanted?.length === given?.length &&
    wanted?.every((part, index) => {
      const found = given?.[index] ?? ''
      return part.startsWith(':') ? found !== '' : part.toLowerCase() === found.toLowerCase()
    }) === true
  )
}

/** The pattern, or undefined where there is no such route. */
export function routeOf(req: Request): string | undefined {
  const path = (req.route as { path?: unknown } | undefined)?.path
  if (typeof path === 'string') return path
  const [asked = ''] = req.originalUrl.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1)
  return patternsOf(req.app as Express).find((pattern) => fits(pattern, asked))
}
