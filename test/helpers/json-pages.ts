// Routes of one router behind a session that the test sets. Pages are returned as JSON, problems as their code and
// detail.
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import type { Problem } from '../../src/problem.ts'
import type { User } from '../../src/session/signed-in.ts'
import type { SendPage } from '../../src/web/pages.ts'
import { languages } from './texts.ts'

export const sendJson: SendPage = (req, res, { view, data, sharedKey }) =>
  void res.json({ view, sharedKey, ...(typeof data === 'function' ? data(languages.ofRequest(req)) : data) })

const sendProblem: ErrorRequestHandler = ({ status, code, detail }: Problem, _req, res, _next) =>
  void res.status(status).json({ code, detail })

/** @param userOf the person of a request, who signed in at that time */
export const signedInApp = (
  userOf: (req: Request) => User,
  at: number,
  ...routes: (RequestHandler | ErrorRequestHandler)[]
) => {
  const setSession: RequestHandler = (req, _res, next) => {
    const session = { id: 's1', user: userOf(req), signedInAt: at, tokens: { accessToken: '', issuedAt: at } }
    next(void Object.assign(req, { session }))
  }
  return express().use(setSession, ...routes, sendProblem)
}
