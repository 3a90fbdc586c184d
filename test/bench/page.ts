// The page that the servers beside onramp answer with: the same datasources, and as many bytes as onramp's own page.
import { z } from 'zod'

/** What the upstream says of one datasource, as far as the page needs it. */
type Entry = { datasourceInstance: string; displayName: string }

/** Without the filler. */
const OTHER_BYTES = 560

const FILLER = '<p class="quiet">Connecting an app lets search find what you can already open there.</p>\n'

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** @returns what makes pages of about `bytes` bytes; the filler is made once, the list for every request */
export function createPage(bytes: number): (person: string, answer: unknown) => string {
  const filler = FILLER.repeat(Math.max(0, Math.round((bytes - OTHER_BYTES) / FILLER.length)))
  return (person, answer) => {
    const { unauthorizedDatasourceInstances } = answer as { unauthorizedDatasourceInstances: Entry[] }
    const items = unauthorizedDatasourceInstances.map(
      ({ datasourceInstance, displayName }) =>
        `<li><a href="/onboarding/connect/${encodeURIComponent(datasourceInstance)}">Connect ${escape(displayName)}</a></li>\n`,
    )
    return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Connect your apps</title></head>
<body>
<p>Signed in as ${escape(person)}</p>
<h1>Connect your apps</h1>
<ul>
${items.join('')}</ul>
${filler}</body>
</html>
`
  }
}

const port = z.coerce.number().int().min(1).max(65_535)
const address = z.url()

/** What run.ts tells a server, by its environment. */
const environment = z.object({
  PORT: port,
  REDIS_URL: address,
  SERVICE_BASE_URL: address,
  PAGE_BYTES: z.coerce.number().int(),
})

/** @throws {z.ZodError} when this was not started by run.ts */
export const readEnvironment = () => environment.parse(process.env)
