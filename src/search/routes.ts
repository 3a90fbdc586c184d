// GET /search: searches as the signed-in person.
import { Router, type RequestHandler } from 'express'
import type { SearchResponse } from '../client-api/responses.ts'
import { nameAndIconOf, type DescribeApp } from '../company/app-description.ts'
import type { ServiceForPerson } from '../sign-in/service-for-person.ts'
import { browserGoneSignal } from '../web/error-page.ts'
import { isFromOtherSite, isMarkedUntrusted, untrustedPath } from '../web/cross-site.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'

const PAGE_SIZE = 10
const MAX_CHARACTERS = 500

export function createSearchRoutes(deps: {
  service: ServiceForPerson
  describeIn: (lang: string) => DescribeApp
  limit: RequestHandler
  publicUrl: string
  sendPage: SendPage
}): Router {
  const { service, describeIn, limit, publicUrl, sendPage } = deps
  const router = Router()

  router.get('/search', limit, async (req, res) => {
    const { q } = req.query
    const query = typeof q === 'string' ? q.trim().slice(0, MAX_CHARACTERS) : ''

    // A link of another site only fills in the form: the person decides to search.
    const isSearched = query !== '' && !isMarkedUntrusted(req) && !isFromOtherSite(req, publicUrl)
    if (query && !isSearched && !isMarkedUntrusted(req)) return seeOther(res, untrustedPath(req.originalUrl))
    const response = isSearched
      ? await service.search(req, { query, pageSize: PAGE_SIZE }, browserGoneSignal(res))
      : undefined

    sendPage(req, res, {
      view: 'search/results',
      script: 'walk',
      data: (t) => resultsPage(t, query, response, describeIn(t.lang)),
    })
  })

  return router
}

function resultsPage(t: Texts, query: string, response: SearchResponse | undefined, describe: DescribeApp) {
  const results = (response?.results ?? []).map(({ title, datasource, ...result }) => ({
    ...result,
    title: title || t('search.untitled'),
    app: datasource ? nameAndIconOf(datasource, describe) : undefined,
  }))
  const heading = response === undefined ? undefined : t('search.results', { count: results.length, query })
  return { title: heading ?? t('search.title'), query, results, heading }
}
