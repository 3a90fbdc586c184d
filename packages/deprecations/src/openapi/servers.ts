// The base addresses below which an OpenAPI document's paths lie: the nearest `servers` count, with their variables filled.
import { isRecord, type At } from './places.ts'

/** Of one address whose variables have several values; beyond them the rest is left out. */
const MAX_VARIANTS = 64

const valuesOf = (variable: unknown): string[] => {
  if (!isRecord(variable)) return []
  const listed = Array.isArray(variable.enum) ? variable.enum : []
  return [...new Set([variable.default, ...listed].filter((value) => typeof value === 'string'))]
}

const filled = (server: unknown): string[] => {
  if (!isRecord(server) || typeof server.url !== 'string') return []
  const variables = isRecord(server.variables) ? Object.entries(server.variables) : []
  return variables.reduce(
    (urls, [name, variable]) => {
      const values = valuesOf(variable)
      if (values.length === 0) return urls
      return urls
        .flatMap((url) => values.map((value) => url.replaceAll(`{${name}}`, () => value)))
        .slice(0, MAX_VARIANTS)
    },
    [server.url],
  )
}

const serversOf = ({ value }: At): string[] => {
  if (!isRecord(value)) return []
  const servers = Array.isArray(value.servers) ? value.servers.flatMap(filled) : []
  return typeof value.basePath === 'string' ? [...servers, value.basePath] : servers
}

/** Base addresses without a slash at their end: none, for a path that is written whole, and those of the nearest place. */
export const addressesOf = (nearestFirst: readonly At[]): string[] => {
  const own = nearestFirst.map(serversOf).find((urls) => urls.length > 0) ?? []
  return ['', ...own.map((url) => url.replace(/[?#].*$/, '').replace(/\/+$/, ''))]
}
