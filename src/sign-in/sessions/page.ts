// GET /sessions: where a person is signed in, with one click to end each.
import { Router, type RequestHandler } from 'express'
import { encodeFirewallSafe, hashOf } from '../../records/seal.ts'
import { requireSignedIn } from '../../session/signed-in.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import type { PersonSessions } from './person-sessions.ts'

/** @param limit per person, because each request reads all of their sessions from the store */
export function createSessionsPage(deps: {
  sessions: PersonSessions
  limit: RequestHandler
  sendPage: SendPage
  now: () => number
}): Router {
  const { sessions, limit, sendPage, now } = deps
  const router = Router()

  router.get('/sessions', limit, async (req, res) => {
    const { user, id } = requireSignedIn(req)

    const list = await sessions.list(user)

    const entries = list
      .map(({ name, device, time }) => {
        const session = { name: encodeFirewallSafe(name), device, time }
        return { ...session, age: now() - time, here: name === hashOf(id) }
      })
      .toSorted((one, other) => Number(other.here) - Number(one.here) || other.time - one.time)
    sendPage(req, res, { view: 'sign-in/sessions', data: { entries } })
  })

  router.post('/sessions/end/:name', limit, async (req, res) => {
    const { user } = requireSignedIn(req)

    const list = await sessions.list(user)
    const session = list.find(({ name }) => encodeFirewallSafe(name) === req.params['name'])
    if (session !== undefined) await sessions.endElsewhere(session.name)

    seeOther(res, '/sessions')
  })

  return router
}
