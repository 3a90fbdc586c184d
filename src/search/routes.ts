// A first search, over what was just connected.
import { Router, type RequestHandler } from 'express'
import type { SearchResponse } from '../client-api/responses.ts'
import type { ServiceForPerson } from '../sign-in/service-for-person.ts'
import { browserGoneSignal } from '../web/browser-gone.ts'
import { isFromOtherSite } from '../web/cross-site.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'

type SearchParts = {
  /** How often a person may ask for what reaches the service. */
  limit: RequestHandler
  /** The origin of PUBLIC_URL. */
  origin: string
  service: ServiceForPerson
  /** What an app is called and seen by, of its instance and in a language. */
  appIn: (instance: string, lang: string) => App
  sendPage: SendPage
}

type App = { name: string; logo: string | undefined; initial: string; tone: string }

const PAGE_SIZE = 10
const MAX_CHARACTERS = 500

export function createSearchRoutes({ limit, origin, service, appIn, sendPage }: SearchParts): Router {
  const router = Router()

  router.get('/search', limit, async (req, res) => {
    const { q } = req.query
    const query = typeof q === 'string' ? q.trim().slice(0, MAX_CHARACTERS) : ''

    // Another site's link only fills in the form: what is searched for is the person's to say.
    const isAsked = query !== '' && !isFromOtherSite(req, origin)
    const answer = isAsked
      ? await service.search(req, { query, pageSize: PAGE_SIZE }, browserGoneSignal(res))
      : undefined

    sendPage(req, res, { view: 'search/results', data: (t) => resultsIn(t, { query, answer, appIn }) })
  })

  return router
}

type Found = Pick<SearchParts, 'appIn'> & { query: string; answer: SearchResponse | undefined }

function resultsIn(t: Texts, { query, answer, appIn }: Found) {
  const results = (answer?.results ?? []).map(({ title, datasource, ...result }) => ({
    ...result,
    title: title || t('search.untitled'),
    app: datasource ? appIn(datasource, t.lang) : undefined,
  }))
  const heading = answer === undefined ? undefined : t('search.results', { count: results.length, query })
  return { title: heading ?? t('search.title'), query, results, heading, script: 'walk' as const }
}
