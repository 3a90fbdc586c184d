// Reads the service's responses (contract section 2) tolerantly: fields may be added or missing. An unreadable response
// is undefined, never an empty list, which would mean that everything is connected.
import { hash } from 'node:crypto'
import { z } from 'zod'
import { isJsonObject } from '../http/body.ts'
import { appStatusOf, isUnavailable, type AppStatus } from './app-status.ts'
import { singleLine, shorten } from '../safe-text.ts'
import { decodedSegment, isStartable } from './consent-url.ts'

/** Bounds the content of pages, logs and records. */
const MAX_INSTANCE_CHARACTERS = 200
const MAX_NAME_CHARACTERS = 200
const MAX_TITLE_CHARACTERS = 300
const MAX_SNIPPET_CHARACTERS = 1_000
const MAX_URL_CHARACTERS = 4_096
const MAX_RESULTS = 50
/** A longer list is rejected, because an app that was left out would count as connected. */
const MAX_ENTRIES = 1_000

export type ListedApp = {
  /** The identifier, usually `<datasource>_<n>`. */
  instance: string
  name: string
  status: AppStatus
  /** Relative to SERVICE_BASE_URL. It has a one-time token, so it is used at once and never stored. */
  authUrlRelativePath?: string | undefined
}

type SearchResult = { title: string } & Record<'url' | 'snippet' | 'datasource', string | undefined>
export type SearchResponse = { results: SearchResult[]; requestId: string | undefined }

const wellFormed = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : undefined)

const optionalText = z.string().optional().catch(undefined)

/** Cuts a long identifier and adds a digest, so that identifiers with the same beginning stay distinct. */
const boundedInstance = (instance: string): string =>
  instance.length <= MAX_INSTANCE_CHARACTERS
    ? instance
    : `${instance.slice(0, 40).toWellFormed()}-${hash('sha256', instance, 'hex').slice(0, 32)}`

/** True if the text has a visible character. Joiners and fillers aren't visible (Unicode 5.21). */
const isVisible = (text: string | undefined): text is string =>
  /[!-~]/.test(text ?? '') ||
  singleLine((text ?? '').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')) !== ''

const nameToShow = (name: string | undefined, instance: string): string =>
  shorten(singleLine(isVisible(name) ? name : instance), MAX_NAME_CHARACTERS)

/** Fields are read one by one, so that an invalid one doesn't lose the others. */
type WireEntry = Partial<
  Record<'datasourceInstance' | 'displayName' | 'authStatus' | 'authUrlRelativePath', unknown>
>

const checkSchema = z.object({
  unauthorizedDatasourceInstances: z.array(z.custom<WireEntry>(isJsonObject)),
})

/** Reads a list (contract 2.1). @param onExcess gets a fixed sentence @returns undefined if none, or over 1,000 apps */
export function readCheckResponse(
  json: unknown,
  onExcess: (excess: string) => void = () => {},
): ListedApp[] | undefined {
  const check = checkSchema.safeParse(json)
  if (!check.success) return undefined
  if (check.data.unauthorizedDatasourceInstances.length > MAX_ENTRIES) {
    onExcess(`service response ignored: it lists more than ${MAX_ENTRIES} datasources`)
    return undefined
  }
  const apps = new Map<string, ListedApp>()
  for (const entry of check.data.unauthorizedDatasourceInstances) {
    const path = typeof entry.authUrlRelativePath === 'string' ? entry.authUrlRelativePath : undefined
    const serviceInstance = instanceOf(entry, path)
    const instance = boundedInstance(serviceInstance)
    if (instance !== serviceInstance)
      onExcess(`a datasource name exceeds ${MAX_INSTANCE_CHARACTERS} characters, so people can't connect it`)
    // A shortened identifier doesn't match the path, so the app can't be started.
    const authUrlRelativePath = instance === serviceInstance ? path : undefined
    const canStart = authUrlRelativePath !== undefined && isStartable(instance, authUrlRelativePath)
    const status = appStatusOf(entry.authStatus, canStart)
    const earlierApp = apps.get(instance)
    // If several entries have the same identifier, the first connectable one counts.
    if (earlierApp !== undefined && (!isUnavailable(earlierApp.status) || isUnavailable(status))) continue
    apps.set(instance, {
      instance,
      name: nameToShow(wellFormed(entry.displayName), instance),
      status,
      authUrlRelativePath: authUrlRelativePath || undefined,
    })
  }
  return [...apps.values()]
}

/** An entry without a name is kept, because a missing app would count as connected. */
const NAMELESS = 'unnamed'

function instanceOf(entry: WireEntry, path: string | undefined): string {
  const instance = wellFormed(entry.datasourceInstance)
  if (isVisible(instance)) return instance
  const [, segment = ''] = /^\/auth\/datasource\/([^/?#]+)/.exec(path ?? '') ?? []
  return [decodedSegment(segment), entry.displayName].map(wellFormed).find(isVisible) ?? NAMELESS
}

const texts = <Name extends string>(...names: Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, optionalText])) as Record<Name, typeof optionalText>)
const searchSchema = texts('requestId', 'requestID', 'trackingToken').extend({
  results: z.array(z.unknown()).nullish(),
})
const documentSchema = texts('title', 'name', 'url', 'datasource')
const resultSchema = documentSchema.extend({
  snippet: optionalText,
  snippets: z.array(texts('text', 'snippet')).optional().catch(undefined),
  document: documentSchema.optional().catch(undefined),
})

/** Allows http and https only, because a link in a page must not run a script. */
const webAddress = (url = '') =>
  url.length <= MAX_URL_CHARACTERS && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? url
    : undefined

function readResult(element: unknown): SearchResult | undefined {
  const parsed = resultSchema.safeParse(element)
  if (!parsed.success) return undefined
  const { document, snippets, ...result } = parsed.data
  const url = webAddress(result.url ?? document?.url)
  const title = singleLine(result.title ?? document?.title ?? result.name ?? document?.name ?? url ?? '')
  const snippet = result.snippet ?? snippets?.[0]?.text ?? snippets?.[0]?.snippet
  return {
    title: shorten(title, MAX_TITLE_CHARACTERS),
    url,
    snippet: snippet && shorten(snippet, MAX_SNIPPET_CHARACTERS),
    datasource: result.datasource ?? document?.datasource,
  }
}

/** Reads results (contract 2.2). Each field may be missing, because the contract doesn't define them. */
export function readSearchResponse(json: unknown): SearchResponse | undefined {
  const parsed = searchSchema.safeParse(json)
  if (!parsed.success) return undefined
  const { results: entries, requestId = parsed.data.requestID, trackingToken } = parsed.data
  // There may be no results, as right after connecting. Without any of these fields, it isn't a search response.
  if (!entries && requestId === undefined && trackingToken === undefined) return undefined
  const results = (entries ?? [])
    .slice(0, MAX_RESULTS)
    .map(readResult)
    .filter((result) => result !== undefined)
  return { results, requestId }
}
