// Turns of people: how much runs at once, of all and of one. The turns of pages are in
// sign-in/service-for-person.test.ts.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Turns } from '../src/turns.ts'

it.each([
  ['twenty people', (n: number) => `person ${n}`, 16],
  ['one person', () => 'ada', 1],
])('only some of twenty changes of %s run at once', async (_title, person, atMost) => {
  const changes = Turns.forChanges()
  const running = new Set<() => void>()
  let most = 0
  const work = () =>
    new Promise<void>((resolve) => {
      running.add(resolve)
      most = Math.max(most, running.size)
    })
  const all = Array.from({ length: 20 }, (_, n) => changes.run(person(n), work))
  while (running.size > 0) {
    const [finish] = running
    running.delete(finish!)
    finish!()
    await nextTurn()
  }
  await Promise.all(all)
  expect([most, changes.size]).toEqual([atMost, 0])
})

it('a failed change ends its turn', async () => {
  const changes = Turns.forChanges()
  const failing = changes.run('ada', () => Promise.reject(new Error('failed')))
  await expect(failing).rejects.toThrow('failed')
  await expect(changes.run('ada', () => Promise.resolve('next'))).resolves.toBe('next')
})
