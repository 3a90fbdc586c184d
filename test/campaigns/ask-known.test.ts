// Before a run ends, the service is asked about people for whom it answered before.
import { describe, expect, it } from 'vitest'
import { crowd, faulty, isAway, ONE_OF_FRONT, service, type Fault } from './asked-service.ts'

describe('people whom the service answered about before', () => {
  it.each<Fault>([{ answered: 403 }, { answered: 404 }, ONE_OF_FRONT, { answered: 406 }, {}])(
    'show that it is about ten others alone, in whatever run that was: %j',
    async (fault) => {
      const { all, answeredBefore, done } = service(faulty(crowd(10), fault))
      answeredBefore('zoe')
      await all(...crowd(10), 'ada')
      expect(done).toContain('zoe')
      expect(done.at(-1)).toBe('ada')
    },
  )

  it('show it also where the service cannot be found by a made-up token', async () => {
    const { all, answeredBefore } = service(faulty(['ada'], { answered: 404 }), isAway)
    answeredBefore('zoe')
    expect(await all('ada')).toEqual(['unknown'])
  })

  it('are three, as one may have left meanwhile, and the latest come first', async () => {
    const { all, answeredBefore, done } = service(faulty([...crowd(10), 'z2', 'z3', 'z4'], { answered: 403 }))
    for (const one of ['z1', 'z2', 'z3', 'z4', 'z2', 'z2']) answeredBefore(one)
    await expect(all(...crowd(10))).rejects.toThrow('10 people in a row')
    expect(done.slice(-3)).toEqual(['z2', 'z4', 'z3'])
    answeredBefore('z1')
    expect(await all('p0')).toEqual(['refused'])
  })

  it('are those of this run as soon as there are any', async () => {
    const { all, answeredBefore, done } = service(faulty(crowd(10), { answered: 403 }))
    await all('bob')
    answeredBefore('zoe')
    await all(...crowd(10))
    expect(done).not.toContain('zoe')
  })

  it('are not all that it may know: after fifty others without an answer, it is away', async () => {
    const { all, answeredBefore } = service(faulty([...crowd(40), ...crowd(60, 'q')], {}))
    answeredBefore('zoe')
    expect(await all(...crowd(40), 'ada', ...crowd(47, 'q'))).toHaveLength(88)
    await expect(all(...crowd(60, 'q').slice(47))).rejects.toThrow('the service is unavailable')
  })

  it('do not outweigh fifty others without an answer, wherever a row of these ended', async () => {
    const { all, ask, answeredBefore } = service({
      ...faulty(crowd(50), {}),
      ...faulty(['ada'], { answered: 401 }),
    })
    answeredBefore('zoe')
    // That zoe was answered about again ends the row of the first two.
    expect(await all('p0', 'p1', 'ada', ...crowd(49).slice(2))).toHaveLength(50)
    await expect(ask('p49')).rejects.toThrow('the service is unavailable')
  })

  it('are not waited for where this run had an answer', async () => {
    const { all } = service(faulty(crowd(10), { answered: 403 }), { pauseMs: 600_000 })
    expect(await all('ada', ...crowd(10))).toHaveLength(11)
  })

  it('may be answered about at the same moment', async () => {
    const { ask } = service(faulty(crowd(10), { answered: 403 }), { pauseMs: 20 })
    const refused = Promise.all(crowd(10).map(ask))
    setTimeout(() => void ask('bob'), 5)
    expect(await refused).toHaveLength(10)
  })
})
