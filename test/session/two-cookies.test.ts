// A browser may send two cookies of one name (another path, another port of the host): every reader takes the same one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

let running: Running
let ada: string
let grace: string
beforeAll(async () => {
  running = await run()
  ada = (await signIn(running, 'ada')).cookieHeader(running.url)
  grace = (await signIn(running, 'grace')).cookieHeader(running.url)
})
afterAll(() => running.close())

/** Whom the readers see: the pages (presence), and the sign-in routes (express-session). */
async function seen(cookie: string) {
  const open = (path: string) =>
    new TestBrowser().open(running.url + path, { follow: false, headers: { cookie } })
  const page = await open('/sessions')
  const invite = await open('/sign-in?again=1')
  return {
    page: page.status === 200 ? /(ada|grace)@/.exec(page.body)?.[1] : undefined,
    isSignedInForSignIn: invite.location === '/onboarding',
  }
}

describe('of two session cookies', () => {
  it('the first one counts for every reader', async () => {
    expect(await seen(`${ada}; ${grace}`)).toEqual({ page: 'ada', isSignedInForSignIn: true })
    expect(await seen(`${grace}; ${ada}`)).toEqual({ page: 'grace', isSignedInForSignIn: true })
  })

  it.each(['onramp=x', 'onramp=', 'onramp=s:forged.signature', 'onramp=s%3Aforged.sig', 'onramp=%E0%A4%A'])(
    '%s before a good one hides it from every reader, and after it changes nothing',
    async (bad) => {
      expect(await seen(`${bad}; ${ada}`)).toEqual({ page: undefined, isSignedInForSignIn: false })
      expect(await seen(`${ada}; ${bad}`)).toEqual({ page: 'ada', isSignedInForSignIn: true })
    },
  )

  it.each<[string, (cookie: string) => string]>([
    ['in quotes', (cookie) => cookie.replace(/=(.*)$/, '="$1"')],
    ['that is not encoded', (cookie) => decodeURIComponent(cookie)],
    ['with spaces around', (cookie) => cookie.replace('=', ' = ')],
    ['behind a word without a value', (cookie) => `word; ${cookie}`],
    ['behind a longer name', (cookie) => `not-onramp=x; onramp2=y; ${cookie}`],
    ['behind commas', (cookie) => `a="b,c"; ${cookie}`],
  ])('one %s is read alike by every reader', async (_how, change) => {
    expect(await seen(change(ada))).toEqual({ page: 'ada', isSignedInForSignIn: true })
  })

  it('a signature that is only almost right proves nothing to any reader', async () => {
    for (const almost of [`${ada}%3D`, ada.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), `${ada}x`])
      expect(await seen(almost)).toEqual({ page: undefined, isSignedInForSignIn: false })
  })
})
