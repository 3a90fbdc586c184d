// What the service's refusals mean: one person, everyone, or something in front of it. Every number here is asked of a
// service that others use too.
import { describe, expect, it, vi } from 'vitest'
import { ServiceUnusable } from '../../src/campaigns/ask.ts'
import { crowd, faulty, isAway, ONE_OF_FRONT, repeated, service, type Fault } from './asked-service.ts'

describe('the first refusal', () => {
  it.each<[Fault, string]>([
    [{ answered: 404 }, 'unknown'],
    [{ answered: 400 }, 'unknown'],
    [{ answered: 422, code: 'service_refused_request' }, 'unknown'],
    [{ answered: 404, code: 'service_misconfigured' }, 'unknown'],
    [ONE_OF_FRONT, 'no-answer'],
    [{ answered: 401, isOfFront: true }, 'no-answer'],
    [{ answered: 302, isOfFront: true, code: 'service_misconfigured' }, 'no-answer'],
  ])('(%j) is about the person where the service is there, which is asked once', async (fault, kind) => {
    const { all, done } = service(faulty(['ada', 'bob'], fault))
    expect(await all('ada', 'bob')).toEqual([kind, kind])
    expect(done).toEqual(['ada', 'there?', 'bob'])
    const elsewhere = service(faulty(['ada'], fault), isAway).ask('ada')
    await expect(elsewhere).rejects.toThrow(ServiceUnusable)
    await expect(elsewhere).rejects.toMatchObject({
      message: 'about ada',
      cause: { answered: fault.answered },
    })
  })

  it('says what it was where it came from something in front', async () => {
    const { ask } = service(faulty(['ada'], ONE_OF_FRONT))
    expect(await ask('ada')).toEqual({ kind: 'no-answer', detail: 'about ada' })
  })

  it('is about the person where it is a 403 of the service’s own', async () => {
    const { all } = service(faulty(['ada'], { answered: 403 }), isAway)
    expect(await all('ada')).toEqual(['refused'])
  })

  it('is about the person once others were answered, also while the service is looked for', async () => {
    const fault = faulty(['ada'], { answered: 404 })
    expect(await service(fault, isAway).all('bob', 'ada')).toEqual(['left', 'unknown'])
    const looked = Promise.withResolvers<boolean>()
    const { ask } = service(faulty(['ada'], { answered: 404 }), { isThere: () => looked.promise })
    const asked = ask('ada')
    await ask('bob')
    looked.resolve(false)
    expect((await asked).kind).toBe('unknown')
  })
})

describe('what is about everyone', () => {
  const first = '. It was asked about ada first'
  it.each<[Fault, string]>([
    [{ isOfEveryone: true, answered: 400 }, ''],
    [{ answered: 401 }, ''],
    [{ answered: 302, code: 'service_misconfigured' }, first],
    [{ code: 'service_misconfigured' }, first],
  ])('ends the run at once, unless others are answered for as before: %j', async (fault, who) => {
    const [of, ofOne] = [service(faulty(['ada', 'bob'], fault)), service(faulty(['ada'], fault))]
    await expect(of.all('ada', 'bob')).rejects.toMatchObject({
      name: 'ServiceUnusable',
      message: `about ada${who}`,
      cause: { message: expect.any(String) as string },
    })
    of.answeredBefore('bob')
    await expect(of.ask('ada')).rejects.toMatchObject({ message: 'about ada' })
    expect(of.done).toEqual(['ada', 'ada', 'bob'])
    expect(await ofOne.all('bob', 'ada', 'dan')).toEqual(['left', 'no-answer', 'left'])
    expect(ofOne.done).toEqual(['bob', 'ada', 'bob', 'dan'])
    const answered = `it answered ${fault.answered ?? 'nothing'} about this person, and as usual about another`
    expect(await ofOne.ask('ada')).toMatchObject({ detail: answered })
  })

  it('may be ten refusals in a row, which are told with what to do', async () => {
    const { all } = service({ ...faulty(crowd(10), { answered: 403 }), ada: [] })
    await expect(all(...crowd(10))).rejects.toMatchObject({
      message:
        'about p9. This happened for 10 people in a row. If they have all left, remove them from the list; if not, check the service token and SERVICE_BASE_URL',
      cause: { answered: 403 },
    })
  })

  it('is not nine refusals in a row, twice', async () => {
    const [some, more] = [crowd(9), crowd(9, 'q')]
    const { all, done } = service(faulty([...some, ...more], { answered: 403 }))
    await all('ada', ...some, 'bob', ...more)
    expect(done).toEqual(['ada', ...some, 'bob', ...more])
  })

  it.each<[Fault, number, string]>([
    [{ answered: 429 }, 3, 'goes on'],
    [{ answered: 503 }, 2, 'ServiceUnusable'],
    [{ answered: 403 }, 2, 'ServiceUnusable'],
  ])('is asked of someone known, again where it says later: %j, %i, %s', async (fault, times, then) => {
    const faults: Record<string, Fault[]> = faulty(crowd(10), { answered: 403 })
    const { all, done } = service(faults)
    await all('bob')
    faults['bob'] = [fault]
    const ended = await all(...crowd(10)).then(
      () => 'goes on',
      (error: Error) => error.name,
    )
    expect(ended).toBe(then)
    expect(done.filter((what) => what === 'bob')).toHaveLength(times)
  })

  it.each<[Fault, string]>([
    [{ answered: 401 }, 'about p0'],
    [{ answered: 429 }, 'the service is unavailable: about p7. Try again later, or with a lower --rate'],
  ])('is so too where everyone known gets nothing but “later”: %j', async (fault, message) => {
    const { all, answeredBefore, done } = service({
      ...faulty(crowd(9), fault),
      ...faulty(['y', 'z'], { answered: 429 }),
    })
    for (const one of ['y', 'z']) answeredBefore(one)
    await expect(all(...crowd(9))).rejects.toMatchObject({ name: 'ServiceUnusable', message })
    // Twenty times in all, but at least once about each.
    expect(done.filter((what) => what === 'y' || what === 'z')).toHaveLength(21)
  })
})

describe('a service that gives no answer', () => {
  it('is asked four times about a person, and left alone as it asks', async () => {
    const { ask, done } = service({ ada: [{ answered: 503, asksToWait: 120 }, {}, { answered: 500 }, {}] })
    expect(await ask('ada')).toEqual({ kind: 'no-answer', detail: 'about ada' })
    expect(done).toEqual(['ada', 'wait 120', 'ada', 'ada', 'ada'])
  })

  it('but 429 is asked twenty times, a second apart where it does not say', async () => {
    const { ask, done } = service(faulty(['ada'], { answered: 429 }))
    expect(await ask('ada')).toEqual({ kind: 'no-answer', detail: 'about ada' })
    expect(done).toEqual(repeated(20, 'ada').flatMap((who) => [who, 'wait 1']))
    const pauses: number[] = []
    const some = service(
      { ada: [{ answered: 429, asksToWait: 7 }, {}, {}, { answered: 429 }] },
      { onPause: (seconds) => pauses.push(seconds) },
    )
    expect(await some.all('ada')).toEqual(['left'])
    expect(pauses).toEqual([7])
    expect(some.done.filter((what) => what.startsWith('wait'))).toEqual(['wait 7', 'wait 1'])
  })

  it('is not asked again what it would refuse again', async () => {
    const { ask, done } = service(faulty(['ada'], { answered: 407, code: 'service_refused_request' }))
    expect(await ask('ada')).toEqual({ kind: 'no-answer', detail: 'about ada' })
    expect(done).toEqual(['ada'])
  })

  it('to eight people in a row is away', async () => {
    const [some, more] = [crowd(7), crowd(8, 'q')]
    const faults: Record<string, Fault[]> = faulty([...some, ...more], {})
    const { all } = service(faults)
    expect(await all(...some, 'ada', ...more.slice(0, 7))).toHaveLength(15)
    faults['ada'] = [{}]
    await expect(all('q7')).rejects.toMatchObject({
      name: 'ServiceUnusable',
      message: 'the service is unavailable: about q7. Check SERVICE_BASE_URL',
      cause: { code: 'service_unavailable' },
    })
  })

  it('is waited for twice as long each time', async () => {
    const longest = vi.spyOn(Math, 'random').mockReturnValue(1)
    const began = performance.now()
    await service(faulty(['ada'], {}), { pauseMs: 5 }).ask('ada')
    longest.mockRestore()
    expect(performance.now() - began).toBeGreaterThan(145)
  })

  it('holds up no one who ends the run', async () => {
    const stop = new AbortController()
    const asked = service(faulty(['ada'], {}), { pauseMs: 60_000, signal: stop.signal }).ask('ada')
    const parts = { pauseMs: 60_000, signal: stop.signal }
    const refused = service(faulty(crowd(10), { answered: 403 }), parts).all(...crowd(10))
    setTimeout(() => stop.abort(), 5)
    for (const ended of await Promise.allSettled([asked, refused]))
      expect(ended).toMatchObject({ reason: { name: 'AbortError' } })
  })

  it('hides no mistake of ours', async () => {
    const mistake = new TypeError('mistake')
    await expect(service({ ada: [mistake] }).ask('ada')).rejects.toBe(mistake)
  })
})
