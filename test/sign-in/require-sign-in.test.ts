// The line between what everyone may see and what needs a sign-in.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import type { Request } from 'express'
import type { SignedIn } from '../../src/session/signed-in.ts'
import { signedInOf } from '../../src/session/signed-in.ts'
import { createRequireSignIn, isFresh, SignInAgain } from '../../src/sign-in/require-sign-in.ts'

function behindTheLine() {
  const renewed: string[] = []
  const signIns = {
    load: async (id: string) => (id === 'known' ? ({ id } as SignedIn) : undefined),
    renew: async ({ id }: SignedIn) => void renewed.push(id),
  }
  const idOf = (req: Request) => req.get('x-id')
  const told: express.ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    const { status, code, tryAgain, name } = error as SignInAgain
    res.status(status).json({ code, tryAgain, name })
  }
  const app = express()
  app.use(createRequireSignIn({ idOf, signIns }))
  app.use((req, res) => void res.json(signedInOf(req)?.id))
  app.use(told)
  return { app, renewed }
}

it('who is signed in goes on, and their idle time begins anew', async () => {
  const { app, renewed } = behindTheLine()
  await request(app).get('/x').set('x-id', 'known').expect(200, '"known"')
  expect(renewed).toEqual(['known'])
})

it.each([
  ['get', '/x?a=b', undefined, '/x?a=b'],
  ['get', '/x', 'ended', '/x'],
  ['post', '/x', undefined, '/onboarding'],
  ['get', `/${'x'.repeat(1023)}`, undefined, `/${'x'.repeat(1023)}`],
] as const)(
  '%s %s as %j has to sign in first, and comes back to what can be asked for again',
  async (method, path, id, back) => {
    const { app, renewed } = behindTheLine()
    const asking = method === 'get' ? request(app).get(path) : request(app).post(path)
    const { body } = await asking.set(id === undefined ? {} : { 'x-id': id }).expect(401)
    expect(body).toEqual({
      code: 'signed_out',
      tryAgain: `/sign-in?return_to=${encodeURIComponent(back)}`,
      name: 'SignInAgain',
    })
    expect(renewed).toEqual([])
  },
)

it('a sign-in is fresh for a minute', () => {
  expect([isFresh(0, 59_999), isFresh(0, 60_000)]).toEqual([true, false])
})

it('the reason to sign in again is kept for the log', () => {
  const cause = new Error('refused')
  expect(new SignInAgain({ method: 'GET', originalUrl: '/' } as Request, cause).cause).toBe(cause)
})

it('an address that is too long to come back to is refused, in words', async () => {
  const { body } = await request(behindTheLine().app)
    .get(`/${'x'.repeat(1024)}`)
    .expect(400)
  expect(body).toMatchObject({ code: 'return_to_too_long' })
})
