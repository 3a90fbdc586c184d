// GET /sessions: where a person is signed in, with one click to end each.
import { Router, type RequestHandler } from 'express'
import { nameOf } from '../../records/seal.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import { whoIsSignedIn } from '../../session/signed-in.ts'
import type { SignedOut } from '../sign-out/signed-out.ts'
import type { SignedInSessions } from './signed-in-sessions.ts'

type Parts = {
  sessions: SignedInSessions
  signedOut: Pick<SignedOut, 'askAnew'>
  /** Per person: each look asks the store about every one of their sign-ins. */
  limit: RequestHandler
  sendPage: SendPage
  now: () => number
}

export function createSessionsPage({ sessions, signedOut, limit, sendPage, now }: Parts): Router {
  const router = Router()

  router.get('/sessions', limit, async (req, res) => {
    const { user, id } = whoIsSignedIn(req)
    const here = nameOf(id)

    const list = await sessions.list(user)

    const latestFirst = list.toSorted((one, other) => other.signedInAt - one.signedInAt)
    const entries = latestFirst
      .map(({ name, device, signedInAt }) => ({
        name,
        device,
        signedInAt,
        age: now() - signedInAt,
        here: name === here,
      }))
      .sort((one, other) => Number(other.here) - Number(one.here))
    sendPage(req, res, { view: 'sign-in/sessions', data: { entries } })
  })

  router.post('/sessions/end/:name', limit, async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const ended = (await sessions.list(user)).find(({ name }) => name === req.params.name)
    if (ended === undefined) return seeOther(res, '/sessions')
    // Asked for first, or the browser there could sign in again without a question in between; and it ends either way.
    await Promise.all([signedOut.askAnew(ended.name), sessions.end(user, ({ name }) => name === ended.name)])
    seeOther(res, '/sessions')
  })

  return router
}
