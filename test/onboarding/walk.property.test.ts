import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { next, standingIn } from '../../src/onboarding/next-step.ts'
import { shown } from '../../src/onboarding/walk.ts'
import { Simulation, type Operation } from './walk-simulation.ts'

const APPS = 5
const which = fc.nat(APPS - 1)
const status = fc.constantFrom(
  'awaiting' as const,
  'stale' as const,
  'disabled' as const,
  'attention' as const,
)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ op: fc.constant('look' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('click' as const), which: fc.option(which, { nil: undefined }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('answer' as const),
      tab: fc.nat(3),
      answer: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const, 'close' as const),
      delay: fc.constantFrom(0, 0, 5_000, 60_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('landAgain' as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('land' as const), step: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('skip' as const), which }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('unskip' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('time' as const), ms: fc.constantFrom(500, 16_000, 90_000_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('list' as const), which, status, startable: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('vanish' as const), which }) },
)
const story = fc.array(operation, { maxLength: 60, size: 'max' })
const RUNS = { numRuns: 400 }

function play(operations: Operation[], check: (simulation: Simulation, operation: Operation) => void) {
  const simulation = new Simulation(APPS)
  for (const step of operations) {
    simulation.run(step)
    check(simulation, step)
  }
  return simulation
}

describe('whatever people and the service do', () => {
  it('what follows a click by itself starts each datasource at most once', () => {
    fc.assert(
      fc.property(story, fc.boolean(), fc.infiniteStream(operation), (operations, byItself, meanwhile) => {
        const simulation = new Simulation(APPS)
        simulation.consentsByItself = byItself
        simulation.onDeparture = (instance) => {
          const { value } = meanwhile.next()
          if (value?.op === 'list' || value?.op === 'vanish') simulation.run(value)
          else simulation.listed.delete(instance)
        }
        for (const step of operations) {
          simulation.run(step)
          expect(new Set(simulation.automatic).size).toBe(simulation.automatic.length)
        }
      }),
      RUNS,
    )
  })

  it('somebody who does what the page says arrives at the end', () => {
    fc.assert(
      fc.property(story, (operations) => {
        const simulation = play(operations, () => {})
        expect(simulation.arrives(200)).toBe(true)
        expect(next(simulation.walk, simulation.now).kind).toBe('finished')
        const { walk, now } = simulation
        for (const entry of shown(walk))
          expect(['connected', 'off', 'skipped']).toContain(standingIn(entry, now).kind)
      }),
      RUNS,
    )
  })
})

describe('a service that lists again what was just connected', () => {
  it('leads nobody in a circle through datasources that say yes without asking', () => {
    const simulation = new Simulation(3)
    simulation.consentsByItself = true
    simulation.onDeparture = (instance) => {
      for (const number of [0, 1, 2])
        simulation.run({ op: 'list', which: number, status: 'awaiting', startable: true })
      simulation.listed.delete(instance)
    }
    simulation.click(undefined)
    expect(simulation.automatic.length).toBeLessThan(3)
  })
})
