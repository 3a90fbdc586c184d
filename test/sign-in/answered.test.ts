// What comes of the authorization server's answers: late ones, second ones, and those of another browser.
import { describe, expect, it } from 'vitest'
import { begun } from './begun.ts'
import { ISSUER } from './in-process.ts'

describe('an answer', () => {
  it('that comes twice leads to the result, and the code is redeemed once', async () => {
    const { ada, sent, outcomeOf, asked, counted } = await begun()
    const address = ada.answerTo(sent)
    expect([await outcomeOf(address), await outcomeOf(address)]).toEqual(['/x', '/x'])
    expect(asked).toHaveLength(1)
    expect(counted).toEqual(['enter', 'forgive', 'answer'])
  })

  it('to no sign-in that is known is over, and leads home where someone is signed in', async () => {
    const { ada, outcomeOf, logged } = await begun()
    const unknown = ['', '?state=0.unknown', '?state=a&state=b', `?state=${'x'.repeat(201)}`]
    for (const query of unknown)
      expect(await outcomeOf(`/sign-in/callback${query}`)).toEqual({
        status: 400,
        code: 'sign_in_expired',
        detail: 'no sign-in is known for this state',
        tryAgain: '/sign-in?return_to=%2Fonboarding',
      })
    expect(logged.slice(1).map(([, , fields]) => fields)).toEqual([
      { hasState: false },
      { hasState: true },
      { hasState: false },
      { hasState: false },
    ])
    await ada.signIn()
    expect(await outcomeOf('/sign-in/callback')).toBe('/onboarding')
  })

  it('of another browser signs no one in, but has that one begin anew a few times', async () => {
    const { browser, ada, sent, asked } = await begun()
    const address = ada.answerTo(sent)
    const eve = browser()
    await eve.agent.get(address).expect(303).expect('location', '/sign-in?return_to=%2Fx&again=1')
    await eve.begin()
    await eve.agent.get(address).expect('location', '/sign-in?return_to=%2Fx&again=1')
    expect(asked).toEqual([])
  })

  it.each([
    [1, '/sign-in?return_to=%2Fx&again=2'],
    [3, '/sign-in?return_to=%2Fx&again=4'],
    [
      4,
      {
        code: 'sign_in_expired',
        detail: 'this sign-in was used, or belongs to another browser',
        tryAgain: '/sign-in?return_to=%2Fx',
      },
    ],
  ])('of another browser after %i restarts leads to %j', async (again, outcome) => {
    const { browser, ada, sent } = await begun({}, { return_to: '/x', again: String(again) })
    const eve = browser()
    await eve.begin()
    const { status, headers, body } = await eve.agent.get(ada.answerTo(sent))
    expect(status === 303 ? headers['location'] : body).toEqual(outcome)
  })

  it('to a browser that keeps no cookies says so, the second time', async () => {
    const { browser, ada, sent } = await begun({}, { return_to: '/x', again: '1' })
    const { body } = await browser().agent.get(ada.answerTo(sent)).expect(400)
    expect(body).toEqual({
      code: 'cookies_blocked',
      detail: 'the callback came without its session cookie',
      tryAgain: '/sign-in?return_to=%2Fx',
    })
  })

  it('to a tab that began before another one signed in ends well there', async () => {
    const { ada, sent, outcomeOf, asked, noted } = await begun()
    const late = ada.answerTo(sent)
    expect(await ada.signIn()).toBe('/onboarding')
    const second = ada.answerTo(await ada.begin({ return_to: '/y' }))
    expect(await outcomeOf(late)).toBe('/x')
    expect(noted).toHaveLength(1)
    expect(await outcomeOf(second)).toBe('/y')
    expect(asked).toHaveLength(3)
  })

  it('of another person in the meantime is that person’s', async () => {
    const { ada, sent, outcomeOf, person } = await begun()
    const late = ada.answerTo(sent)
    await ada.signIn()
    person.sub = 'bob'
    expect(await outcomeOf(late)).toBe('/x')
    expect(await ada.who()).toMatchObject({ subject: 'bob' })
  })

  it('to a sign-in that starts over is not waited for where another tab has signed in', async () => {
    const { ada, outcomeOf } = await begun()
    await ada.signIn()
    expect(await outcomeOf('/sign-in?return_to=/x&again=1')).toBe('/x')
    expect(await outcomeOf('/sign-in?return_to=/x')).toContain(`${ISSUER}/authorize`)
    expect(await outcomeOf('/sign-in?return_to=/x&again=1&prompt=login')).toContain(`${ISSUER}/authorize`)
  })
})
