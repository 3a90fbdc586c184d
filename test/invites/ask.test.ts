import { describe, expect, it } from 'vitest'
import { problemOf } from '../../src/client-api/errors.ts'
import { createAsk, ServiceUnusable, type Asked } from '../../src/invites/ask.ts'
import { createPace } from '../../src/invites/pace.ts'

const signal = new AbortController().signal

/** A service that answers each person with these statuses, one after the other; 200 is an empty list. */
function service(statuses: Record<string, number[]>) {
  const asked: string[] = []
  const ask = createAsk({
    pace: createPace({ perSecond: 1e6, now: Date.now, signal }),
    signal,
    pauseMs: 0,
    whatIsLeft: (email) => {
      asked.push(email)
      const status = statuses[email]?.shift() ?? 200
      if (status === 200) return Promise.resolve([])
      const refusal = { operation: 'checkdatasourceauth', status, text: '', retryAfter: '0' }
      return Promise.reject(Object.assign(problemOf(refusal), { answered: status }))
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
    expect(await kinds(ask, people)).toEqual(['left', 'refused', 'nobody', 'nobody', 'left'])
  })

  it.each([403, 404])('ends the run when it says %i of everybody', async (status) => {
    const { ask, asked } = service(
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, always(status)])),
    )
    await expect(kinds(ask, ['a', 'b', 'c', 'd'])).rejects.toThrow(ServiceUnusable)
    expect(asked).toHaveLength(3)
  })

  it('ends the run when it says 403 of ten people in a row, later on', async () => {
    const people = Array.from({ length: 20 }, (_, index) => `person-${index}`)
    const { ask, asked } = service(Object.fromEntries(people.map((person) => [person, always(403)])))
    await expect(kinds(ask, ['ada', ...people])).rejects.toThrow(ServiceUnusable)
    expect(asked).toHaveLength(11)
  })

  it('ends the run at once when it refuses the token', async () => {
    const { ask, asked } = service({ bob: always(401) })
    await expect(kinds(ask, ['ada', 'bob', 'dan'])).rejects.toThrow(ServiceUnusable)
    expect(asked).toEqual(['ada', 'bob'])
  })
})
