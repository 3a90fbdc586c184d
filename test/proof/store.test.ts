// The simulated store beside processes that die. The apps serve one seed after the other, so what still waits when a process
// has died would wait in a later seed.
import { expect, it } from 'vitest'
import { begin, Dead, within, type Process } from './machine.ts'
import { SimulatedStore } from './store.ts'

it.each([true, false])('refuses whatever a dead process asks for (in order: %s)', async (keepsOrder) => {
  const machine = begin(1, Date.UTC(2026, 0, 1))
  const store = new SimulatedStore({ keepsOrder, fails: 0, isSlow: 0 })
  const process: Process = { name: 'A', isAlive: true, troubledAt: 0 }
  const ask = () => within.run(process, () => store.ask('get walk', () => 'found'))
  const before = [ask(), ask()].map((one) => expect(one).rejects.toBeInstanceOf(Dead))
  machine.kill(process)
  store.forget(process)
  await Promise.all(before)
  await Promise.all([ask(), ask(), ask()].map((one) => expect(one).rejects.toBeInstanceOf(Dead)))
  await expect(ask()).rejects.toBeInstanceOf(Dead)
})
