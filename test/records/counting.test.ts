// Counting in a window of time: within one process, with others over Redis, and while Redis is away.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounter, createSeldomShared } from '../../src/records/counting.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMIT = { name: 'tries', points: 3, windowSeconds: 60 }

/** Redis, and the questions that it was asked. */
function shared() {
  const redis = memoryRedis()
  const asked: string[] = []
  let work: 'answers' | 'fails' | 'hangs' = 'answers'
  const client: typeof redis.commands = {
    ...redis.commands,
    eval(script, options) {
      asked.push(options.arguments.slice(0, 2).join(' '))
      if (work === 'fails') return Promise.reject(new Error('away'))
      return work === 'hangs' ? new Promise(() => {}) : redis.commands.eval(script, options)
    },
  }
  const become = (how: typeof work) => void (work = how)
  return { ...redis, redis: { client, prefix: 'acme:' }, asked, become }
}

const take = async (counter: { take(key: string): Promise<number | undefined> }, times: number) => {
  const answers: (number | undefined)[] = []
  for (let time = 0; time < times; time++) answers.push(await counter.take('ada'))
  return answers
}
const NONE = undefined

describe('a count', () => {
  it('within one process ends with its window, and says how many seconds that takes', async () => {
    const counter = createCounter({ ...LIMIT, redis: undefined })
    expect(await take(counter, 4)).toEqual([NONE, NONE, NONE, 60])
    expect(await counter.take('grace', 3)).toBeUndefined()
    expect(await counter.take('grace')).toBe(60)
    vi.advanceTimersByTime(59_900)
    expect(await counter.take('ada')).toBe(1)
    vi.advanceTimersByTime(100)
    expect(await counter.take('ada')).toBeUndefined()
  })

  it('is one for all processes, under a name of its own that ends', async () => {
    const { redis, dump, lives, pass } = shared()
    const [one, other] = [createCounter({ ...LIMIT, redis }), createCounter({ ...LIMIT, redis })]
    expect([await take(one, 2), await take(other, 2)]).toEqual([
      [NONE, NONE],
      [NONE, 60],
    ])
    expect([...dump()]).toEqual([['acme:limit:tries:ada', '4']])
    expect([...lives().values()]).toEqual([60])
    pass(59_001)
    expect(await other.take('ada')).toBe(1)
    pass(1_000)
    expect(await other.take('ada')).toBeUndefined()
  })

  it.each([undefined, shared().redis])('that is given back is there again', async (redis) => {
    const counter = createCounter({ ...LIMIT, redis })
    await counter.take('ada', 3)
    await counter.giveBack('ada', 2)
    expect(await take(counter, 3)).toEqual([NONE, NONE, 60])
  })

  it('goes on in the process alone while Redis fails, and with the others after that', async () => {
    const { redis, become, dump } = shared()
    const counter = createCounter({ ...LIMIT, redis })
    await counter.take('ada')
    become('fails')
    expect(await take(counter, 4)).toEqual([NONE, NONE, NONE, 60])
    await counter.giveBack('ada', 2)
    expect(await counter.take('ada')).toBeUndefined()
    become('answers')
    expect(await take(counter, 3)).toEqual([NONE, NONE, 60])
    expect([...dump().values()]).toEqual(['4'])
  })

  it('waits half a second for Redis, and keeps no process alive with that', async () => {
    const { redis, become } = shared()
    const counter = createCounter({ ...LIMIT, redis })
    become('hangs')
    const answer = counter.take('ada').then(() => 'counted')
    await vi.advanceTimersByTimeAsync(499)
    expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect(await answer).toBe('counted')
    vi.useRealTimers()
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    become('answers')
    const counting = counter.take('ada')
    expect(timers()).toBe(before)
    await counting
  })
})

describe('a count that is seldom shared', () => {
  const SELDOM = { ...LIMIT, points: 10, alone: 4 }

  it('asks Redis nothing about the first, and counts all others there', async () => {
    const { redis, asked, dump } = shared()
    const counter = createSeldomShared({ ...SELDOM, redis })
    expect(await take(counter, 4)).toEqual([NONE, NONE, NONE, NONE])
    expect(asked).toEqual([])
    expect(await take(counter, 7)).toEqual([NONE, NONE, NONE, NONE, NONE, NONE, 60])
    expect(asked).toEqual(Array.from({ length: 7 }, () => '1 60'))
    expect([...dump().values()]).toEqual(['7'])
  })

  it('gives each process its own first, and all of them together the rest', async () => {
    const { redis } = shared()
    const [one, other] = [1, 2].map(() => createSeldomShared({ ...SELDOM, redis }))
    const taken = [...(await take(one!, 8)), ...(await take(other!, 7))]
    expect(taken).toEqual([...Array.from({ length: 14 }, () => NONE), 60])
  })

  it('takes a piece at once for the next, which no one asks for again', async () => {
    const { redis, asked } = shared()
    const counter = createSeldomShared({ ...SELDOM, redis, piece: 3 })
    expect(await take(counter, 12)).toEqual([...Array.from({ length: 10 }, () => NONE), 60, 60])
    expect(asked).toEqual(['3 60', '3 60', '3 60', '3 60'])
  })

  it('takes one piece for all who wait for it', async () => {
    const { redis, asked } = shared()
    const counter = createSeldomShared({ ...SELDOM, redis, piece: 3 })
    await take(counter, 4)
    expect(await Promise.all([1, 2, 3].map(() => counter.take('ada')))).toEqual([NONE, NONE, NONE])
    expect(asked).toEqual(['3 60'])
    expect(await Promise.all([counter.take('ada'), counter.take('grace')])).toEqual([NONE, NONE])
    expect(asked).toEqual(['3 60', '3 60'])
  })

  it('takes as many as a piece, or more, for the one who asked alone', async () => {
    const { redis, asked } = shared()
    const counter = createSeldomShared({ ...SELDOM, redis, piece: 3 })
    await counter.take('ada', 4)
    expect([await counter.take('ada', 3), await counter.take('ada', 4)]).toEqual([NONE, 60])
    expect(asked).toEqual(['3 60', '4 60'])
  })

  it('has again in the process what is given back', async () => {
    const { redis, asked } = shared()
    const counter = createSeldomShared({ ...SELDOM, redis })
    await take(counter, 4)
    await counter.giveBack('ada')
    expect(await counter.take('ada')).toBeUndefined()
    await counter.giveBack('ada', 3)
    expect(await take(counter, 3)).toEqual([NONE, NONE, NONE])
    expect(asked).toEqual([])
  })
})
