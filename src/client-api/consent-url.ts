// Joins SERVICE_BASE_URL and authUrlRelativePath to the URL at which a consent starts (contract 4.1, step 3). The path
// comes from outside and has a one-time token, so it is checked, and used byte for byte. Pure.

const MAX_CHARACTERS = 4096

/** True if the path has no dot segment or backslash, even for a server that decodes it again. */
const isPlain = (part: string) => !/\\|(^|\/)\.{1,2}(\/|$)/.test(decodedSegment(part) ?? '..')

export const decodedSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** @returns undefined if the path leaves the service, belongs to another datasource or isn't a URL path */
export function consentUrl(base: string, instance: string, path: string): string | undefined {
  if (path.length > MAX_CHARACTERS || !/^[\x21-\x7e]+$/.test(path) || path.includes('\\')) return undefined
  const [pathname = ''] = path.split(/[?#]/, 1)
  if (!pathname.startsWith('/auth/datasource/')) return undefined
  const [segment = '', ...rest] = pathname.split('/').slice(3)
  if (segment === '' || (segment !== instance && decodedSegment(segment) !== instance)) return undefined
  if (![segment, ...rest].every(isPlain)) return undefined
  const address = base + path
  if (!URL.canParse(address)) return undefined
  const [target, home] = [new URL(address), new URL(base)]
  const pathPrefix = `${home.pathname.replace(/\/$/, '')}/auth/datasource/`
  return target.origin === home.origin && target.pathname.startsWith(pathPrefix) ? address : undefined
}

const ORDINARY = /^\/auth\/datasource\/([\w-]+)(?:\?[\x21-\x5b\x5d-\x7e]*)?$/
const ANYWHERE = 'https://service.invalid'

/** True if {@link consentUrl} returns a URL with any base. Cheap for the usual form. */
export const isStartable = (instance: string, path: string): boolean =>
  (path.length <= MAX_CHARACTERS && ORDINARY.exec(path)?.[1] === instance) ||
  consentUrl(ANYWHERE, instance, path) !== undefined
