// GET /sessions: where a person is signed in, with one click to end each.
import { Router, type RequestHandler } from 'express'
import { hashOf } from '../../records/seal.ts'
import { encodeFirewallSafe } from '../../records/firewall-safe.ts'
import { whoIsSignedIn } from '../../session/signed-in.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import type { SignIn } from '../sign-in.ts'

type Needs = Pick<SignIn, 'sessions' | 'sessionStore'> & {
  /** Per person: each look asks the store about every one of their sign-ins. */
  limit: RequestHandler
  sendPage: SendPage
  now: () => number
}

export function createSessionsPage({ sessions, sessionStore, limit, sendPage, now }: Needs): Router {
  const router = Router()

  router.get('/sessions', limit, async (req, res) => {
    const { user, id } = whoIsSignedIn(req)
    const here = hashOf(id)

    const list = await sessions.list(user)

    const entries = list
      .toSorted((one, other) => other.time - one.time)
      .map(({ name, device, time }) => ({
        name: encodeFirewallSafe(name),
        device,
        time,
        age: now() - time,
        here: name === here,
      }))
      .sort((one, other) => Number(other.here) - Number(one.here))
    sendPage(req, res, { view: 'sign-in/sessions', data: { entries } })
  })

  router.post('/sessions/end/:name', limit, async (req, res) => {
    const { user } = whoIsSignedIn(req)

    const ended = (await sessions.list(user)).find(
      ({ name }) => encodeFirewallSafe(name) === req.params['name'],
    )
    if (ended !== undefined) await sessionStore.endElsewhere(ended.name)

    seeOther(res, '/sessions')
  })

  return router
}
