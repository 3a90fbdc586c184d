// What the service answers (contract section 2), checked and read tolerantly: more fields than we know, fewer than we
// hoped for, but never a list where there was none: an answer that cannot be understood is not "all connected".
import { z } from 'zod'
import { appStatusOf, isUnavailable, type AppStatus } from './app-status.ts'
import {
  boundedInstance,
  boundedUrl,
  isVisible,
  MAX_ENTRIES,
  MAX_INSTANCE_CHARACTERS,
  MAX_RESULTS,
  MAX_SNIPPET_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  nameToShow,
  shortened,
} from './bounds.ts'
import { presentable } from '../presentable.ts'
import { isStartable } from './consent-url.ts'

/** What the service says of one datasource instance that is not connected. */
export type UnconnectedApp = {
  /** Identifier of the instance, `<datasource>_<n>` as a rule. */
  instance: string
  /** Its name for people; the identifier where the service gave none. */
  name: string
  status: AppStatus
  /** Relative to SERVICE_BASE_URL. Carries a one-time token: used at once, kept nowhere, and dropped by readLeft. */
  authUrlRelativePath?: string | undefined
}

type SearchResult = {
  title: string
  url: string | undefined
  snippet: string | undefined
  datasource: string | undefined
}
export type SearchResponse = { results: SearchResult[]; requestId: string | undefined }

/** Text or nothing; half a surrogate pair stands in no address and in no page. */
const wellFormed = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : undefined)

const optionalText = z.string().optional().catch(undefined)

/** What an entry holds is read field by field: whatever is odd in it must not cost the others. */
type WireEntry = Partial<
  Record<'datasourceInstance' | 'displayName' | 'authStatus' | 'authUrlRelativePath', unknown>
>

const checkSchema = z.object({
  unauthorizedDatasourceInstances: z.array(
    z.custom<WireEntry>((entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry)),
  ),
})

/** An entry's own path names it too, where the identifier is missing. */
const instanceInPath = (path: string | undefined) => {
  const segment = /^\/auth\/datasource\/([^/?#]+)/.exec(path ?? '')?.[1]
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Of entries with one identifier the one that a person can do most about counts. */
const useOf = (status: AppStatus) => (isUnavailable(status) ? 0 : 1)

export type OnExcess = (what: string) => void

/**
 * Reads an answer of checkdatasourceauth (contract 2.1).
 * @param onExcess gets fixed words about what was cut off or is too much
 * @returns undefined when it is not one: no object, no list or too long a list
 */
export function readCheckResponse(
  json: unknown,
  onExcess: OnExcess = () => {},
): UnconnectedApp[] | undefined {
  const check = checkSchema.safeParse(json)
  if (!check.success) return undefined
  if (check.data.unauthorizedDatasourceInstances.length > MAX_ENTRIES) {
    onExcess(`an answer of the service lists more than ${MAX_ENTRIES} datasources: nothing of it counts`)
    return undefined
  }
  const found = new Map<string, UnconnectedApp>()
  for (const entry of check.data.unauthorizedDatasourceInstances) {
    const path = typeof entry.authUrlRelativePath === 'string' ? entry.authUrlRelativePath : undefined
    const named = instanceOf(entry, path)
    const instance = boundedInstance(named)
    if (instance !== named)
      onExcess(
        `a datasource has more than ${MAX_INSTANCE_CHARACTERS} characters in its name: it is shown, not started`,
      )
    // Dropped, it would count as connected; its path belongs to a name that is kept nowhere.
    const authUrlRelativePath = instance === named ? path : undefined
    const canStart = authUrlRelativePath !== undefined && isStartable(instance, authUrlRelativePath)
    const status = appStatusOf(entry.authStatus, canStart)
    const earlier = found.get(instance)
    if (earlier !== undefined && useOf(earlier.status) >= useOf(status)) continue
    found.set(instance, {
      instance,
      name: nameToShow(wellFormed(entry.displayName), instance),
      status,
      authUrlRelativePath: authUrlRelativePath || undefined,
    })
  }
  return [...found.values()]
}

/** Dropped, an entry without a name would count as connected: it needs attention, and the others work. */
const NAMELESS = 'unnamed'

function instanceOf(entry: WireEntry, path: string | undefined): string {
  const named = [entry.datasourceInstance, instanceInPath(path), entry.displayName].map(wellFormed)
  return named.find(isVisible) ?? NAMELESS
}

/** For those who only tell what is left: nothing to leak. */
export const withoutPath = ({ instance, name, status }: UnconnectedApp): UnconnectedApp => ({
  instance,
  name,
  status,
})

/** Reads the same answer and drops the one-time paths on the way. @returns undefined when it is not one */
export const readLeft = (json: unknown, onExcess?: OnExcess): UnconnectedApp[] | undefined =>
  readCheckResponse(json, onExcess)?.map(withoutPath)

const searchSchema = z.object({
  results: z.array(z.unknown()).optional(),
  requestId: optionalText,
  requestID: optionalText,
  trackingToken: optionalText,
})

const documentSchema = z.object({
  title: optionalText,
  name: optionalText,
  url: optionalText,
  datasource: optionalText,
})
const resultSchema = documentSchema.extend({
  snippet: optionalText,
  snippets: z
    .array(z.object({ text: optionalText, snippet: optionalText }))
    .optional()
    .catch(undefined),
  document: documentSchema.optional().catch(undefined),
})

/** A link in a page leads to the web or nowhere: a result's address must not run anything. */
const webAddress = (url: string | undefined) =>
  url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined

function readResult(element: unknown): SearchResult | undefined {
  const parsed = resultSchema.safeParse(element)
  if (!parsed.success) return undefined
  const { document, snippets, ...result } = parsed.data
  const url = boundedUrl(webAddress(result.url ?? document?.url))
  const title = presentable(result.title ?? document?.title ?? result.name ?? document?.name ?? url ?? '')
  const snippet = result.snippet ?? snippets?.[0]?.text ?? snippets?.[0]?.snippet
  return {
    title: shortened(title, MAX_TITLE_CHARACTERS),
    url,
    snippet: snippet && shortened(snippet, MAX_SNIPPET_CHARACTERS),
    datasource: result.datasource ?? document?.datasource,
  }
}

/** Reads an answer of search (contract 2.2; what a result holds is not shown there, so every part may be missing). */
export function readSearchResponse(json: unknown): SearchResponse | undefined {
  const parsed = searchSchema.safeParse(json)
  if (!parsed.success) return undefined
  const { results: found, requestId = parsed.data.requestID, trackingToken } = parsed.data
  // Nothing was found, as right after connecting; without one of the other fields it is no answer of a search.
  if (found === undefined && requestId === undefined && trackingToken === undefined) return undefined
  const results = (found ?? [])
    .slice(0, MAX_RESULTS)
    .map(readResult)
    .filter((result) => result !== undefined)
  return { results, requestId }
}
