// Which ways on the page of a failure offers.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { Problem, type ProblemCode } from '../../src/problem.ts'
import { createErrorPage } from '../../src/web/error-page.ts'
import type { Log } from '../../src/web/log.ts'
import { languages } from '../helpers/texts.ts'

const log = { error() {}, warn() {}, info() {} } as unknown as Log

async function pageFor(code: ProblemCode) {
  const app = express().use(() => {
    throw new Problem(503, code, { retryAfter: 5, tryAgain: '/sign-in' })
  })
  app.use(
    createErrorPage({
      log,
      languages,
      sendPage: (_req, res, { data }) => void res.json(data),
      pathOf: (address) => address,
      nameOf: ({ name }) => name,
      count() {},
    }),
  )
  const { body } = await request(app).get('/onboarding').set('accept', 'text/html')
  return body as { tryAgain?: string; refresh?: object; stop?: string; isShut: boolean; advice: string }
}

it('what only someone else can change is not tried again, by a link or on its own', async () => {
  const { tryAgain, refresh, stop, isShut } = await pageFor('sign_in_misconfigured')
  expect([tryAgain, refresh, stop, isShut]).toEqual([undefined, undefined, undefined, true])
})

it('what passes is tried again after the time that was announced', async () => {
  expect(await pageFor('sign_in_unavailable')).toMatchObject({
    tryAgain: '/sign-in',
    refresh: { seconds: 5, url: '/sign-in' },
    stop: '/sign-in?still=yes',
    isShut: false,
    advice: expect.stringContaining('5 seconds') as string,
  })
})
