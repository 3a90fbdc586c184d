import { describe, expect, it } from 'vitest'
import { requestedWait } from '../../src/client-api/retry-after.ts'
import { refused } from '../client-api/refused.ts'
import { createAsk, ServiceUnusable, type Asked } from '../../src/campaigns/ask.ts'
import { createPace } from '../../src/campaigns/pace.ts'

const signal = new AbortController().signal

/** A service that answers each person with these statuses, one after the other; 200 is an empty list. */
function service(statuses: Record<string, number[]>) {
  const asked: string[] = []
  const { ask } = createAsk({
    pace: createPace({ perSecond: 1e6, now: Date.now, signal }),
    signal,
    pauseMs: 0,
    isThere: () => Promise.resolve(true),
    whatIsLeft: (email) => {
      asked.push(email)
      const status = statuses[email]?.shift() ?? 200
      if (status === 200) return Promise.resolve([])
      return Promise.reject(Object.assign(refused(status), { answered: status }))
    },
  })
  return { ask, asked }
}

const kinds = async (ask: (email: string) => Promise<Asked>, people: string[]) => {
  const found: string[] = []
  for (const person of people) found.push((await ask(person)).kind)
  return found
}

const always = (status: number) => Array.from({ length: 50 }, () => status)

describe('what the service is asked about a person', () => {
  it('is asked again when it fails for a moment, and given up after four times', async () => {
    const { ask, asked } = service({ ada: [500, 503], bob: always(500) })
    expect(await kinds(ask, ['ada', 'bob'])).toEqual(['left', 'no-answer'])
    expect(asked).toEqual(['ada', 'ada', 'ada', 'bob', 'bob', 'bob', 'bob'])
  })

  it('says of one person in the middle that it does not know them, or may not say', async () => {
    const { ask } = service({ bob: always(403), dan: always(404), eve: always(400) })
    const people = ['ada', 'bob', 'dan', 'eve', 'grace']
    expect(await kinds(ask, people)).toEqual(['left', 'refused', 'unknown', 'unknown', 'left'])
  })

  const crowd = Array.from({ length: 20 }, (_, index) => `person-${index}`)
  const refusing = (status: number) => Object.fromEntries(crowd.map((person) => [person, always(status)]))

  it.each([400, 403, 404, 422])('ends the run when it says %i of everybody', async (status) => {
    const { ask, asked } = service(refusing(status))
    await expect(kinds(ask, crowd)).rejects.toThrow(
      /10 people in a row. If they have all left, remove them from/,
    )
    expect(asked).toHaveLength(10)
  })

  it('goes on behind a whole department that has left, as it still answers about somebody else', async () => {
    const { ask, asked } = service(refusing(403))
    expect(await kinds(ask, ['ada', ...crowd, 'bob'])).toEqual([
      'left',
      ...crowd.map(() => 'refused'),
      'left',
    ])
    expect(asked.filter((person) => person === 'ada')).toHaveLength(3)
  })

  it('ends the run when it stops answering about whom it did', async () => {
    const { ask } = service({ ...refusing(403), ada: [200, 403, 403] })
    await expect(kinds(ask, ['ada', ...crowd])).rejects.toThrow(ServiceUnusable)
  })

  it('is left alone for as long as it asks for, also when it is away', async () => {
    const told: number[] = []
    const pace = createPace({ perSecond: 1e6, now: Date.now, signal })
    const { ask } = createAsk({
      pace: { ...pace, slowDown: (seconds) => told.push(seconds) },
      signal,
      pauseMs: 0,
      isThere: () => Promise.resolve(true),
      whatIsLeft() {
        const [status, seconds] = [[429, 3_600] as const, [503, 120] as const][told.length] ?? [200, 0]
        if (status === 200) return Promise.resolve([])
        const problem = refused(status, '', { headers: { 'retry-after': String(seconds) } })
        const asksToWait = requestedWait(String(seconds))
        return Promise.reject(Object.assign(problem, { answered: status, asksToWait }))
      },
    })
    expect((await ask('ada')).kind).toBe('left')
    expect(told).toEqual([3_600, 120])
  })

  it('ends the run at once when it refuses the token', async () => {
    const { ask, asked } = service({ ada: [200, ...always(401)], bob: always(401) })
    await expect(kinds(ask, ['ada', 'bob', 'dan'])).rejects.toThrow(ServiceUnusable)
    expect(asked).toEqual(['ada', 'bob', 'ada'])
  })
})
