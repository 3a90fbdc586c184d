// /sessions: where a person is signed in, and ending one of them.
import { describe, expect, it } from 'vitest'
import { inProcess } from './in-process.ts'

type Entry = { name: string; here: boolean; age: number; signedInAt: number; device: string }

async function threeBrowsers() {
  const world = inProcess()
  const browsers = []
  for (const _one of [1, 2, 3]) {
    const one = world.browser()
    await one.signIn()
    world.clock.now += 60_000
    browsers.push(one)
  }
  const [first, second, third] = browsers
  if (first === undefined || second === undefined || third === undefined) throw new Error('three are there')
  const entries = async (one = first) =>
    ((await one.agent.get('/sessions').expect(200)).body as { view: string; entries: Entry[] }).entries
  return { ...world, first, second, third, entries }
}

describe('the page of sign-ins', () => {
  it('has the one of this browser first, and then the latest', async () => {
    const { entries, first, second, clock } = await threeBrowsers()
    expect((await entries()).map(({ here, age }) => [here, age])).toEqual([
      [true, 180_000],
      [false, 60_000],
      [false, 120_000],
    ])
    expect((await entries(second)).map(({ here, age }) => [here, age])[0]).toEqual([true, 120_000])
    const { body } = await first.agent.get('/sessions')
    expect(body).toEqual({ view: 'sign-in/sessions', entries: expect.any(Array) as Entry[] })
    expect((body as { entries: Entry[] }).entries[0]).toEqual({
      name: expect.stringMatching(/^[\w-]{43}$/) as string,
      device: '',
      signedInAt: clock.now - 180_000,
      age: 180_000,
      here: true,
    })
  })

  it('ends the one that is chosen, which asks for the person then, and no other', async () => {
    const { entries, first, second, third, store } = await threeBrowsers()
    const [, latest] = await entries()
    await first.agent.post(`/sessions/end/${latest?.name}`).expect(303).expect('location', '/sessions')
    expect(await third.who()).toMatchObject({ code: 'signed_out' })
    expect((await third.begin())['prompt']).toBe('login')
    expect(await second.who()).toMatchObject({ subject: 'ada' })
    expect(await entries()).toHaveLength(2)
    expect(store.named('ask-anew:')).toEqual([`ask-anew:${latest?.name}`])
  })

  it('ends none that is not the person’s', async () => {
    const { entries, first, browser, person, store } = await threeBrowsers()
    person.sub = 'bob'
    const bob = browser()
    await bob.signIn()
    const [his] = await entries(bob)
    for (const name of [his?.name, 'unknown'])
      await first.agent.post(`/sessions/end/${name}`).expect(303).expect('location', '/sessions')
    expect(await bob.who()).toMatchObject({ subject: 'bob' })
    expect([(await entries()).length, store.named('ask-anew:')]).toEqual([3, []])
  })
})
