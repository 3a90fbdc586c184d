// What a list comes to: every mixture of apps has a heading that is true of it.
import { describe, expect, it } from 'vitest'
import { countsOf, endingOf, openingOf } from '../../src/onboarding/overview/opening.ts'
import { t } from '../helpers/texts.ts'

type Seen = Parameters<typeof endingOf>[0]

type Ending = ReturnType<typeof endingOf>

type Counts = ReturnType<typeof countsOf>

const FIGURES = ['connected', 'pending', 'skipped', 'blocked', 'off'] as const
const AMOUNTS = [0, 1, 2]

const counts = (...amounts: number[]): Counts => {
  const found = countsOf([])
  for (const [index, figure] of FIGURES.entries()) found[figure] = amounts[index] ?? 0
  found.offBy = { disabled: found.off }
  return found
}

function* mixtures(): Generator<Counts> {
  for (let number = 0; number < AMOUNTS.length ** FIGURES.length; number++)
    yield counts(...FIGURES.map((_, index) => Math.floor(number / AMOUNTS.length ** index) % AMOUNTS.length))
}

function* sights(): Generator<Seen> {
  const others = [
    counts(),
    counts(1),
    counts(0, 1),
    counts(0, 0, 1),
    counts(0, 0, 0, 1),
    counts(0, 0, 0, 0, 1),
  ]
  for (const shown of mixtures()) {
    yield { shown, hidden: counts(), isNarrowed: false }
    for (const hidden of others) yield { shown, hidden, isNarrowed: true }
  }
}

describe('the end of a list', () => {
  it.each<[Ending, Counts]>([
    ['open', counts(1, 1, 1, 1, 1)],
    ['nothing', counts()],
    ['all', counts(3)],
    ['all-but-off', counts(2, 0, 0, 0, 1)],
    ['some', counts(1, 0, 1)],
    ['some', counts(1, 0, 0, 1)],
    ['some', counts(1, 0, 0, 1, 1)],
    ['none', counts(0, 0, 3)],
    ['none', counts(0, 0, 0, 3)],
    ['none', counts(0, 0, 1, 1, 1)],
    ['off', counts(0, 0, 0, 0, 2)],
  ])('is %s for %j', (ending, shown) => {
    expect(endingOf({ shown, hidden: counts(), isNarrowed: false })).toBe(ending)
  })

  it('of a narrowed visit says nothing of the other apps', () => {
    const narrowed = (shown: Counts, hidden: Counts) => endingOf({ shown, hidden, isNarrowed: true })
    expect(narrowed(counts(), counts(1))).toBe('unknown-name')
    expect(narrowed(counts(1), counts(0, 1))).toBe('these')
    expect(narrowed(counts(1), counts(0, 0, 1))).toBe('these')
    expect(narrowed(counts(1), counts(1))).toBe('all')
    expect(narrowed(counts(1), counts(0, 0, 0, 0, 1))).toBe('all-but-off')
  })

  it('never claims what is not so, whatever the mixture', () => {
    let checked = 0
    for (const seen of sights()) {
      const { shown, hidden, isNarrowed } = seen
      const what = JSON.stringify(seen)
      const { state, heading, lead, search } = openingOf(endingOf(seen), seen, t)
      const listed = FIGURES.reduce((sum, figure) => sum + shown[figure] + hidden[figure], 0)
      const words = `${heading} ${lead}`

      const connected = shown.connected + hidden.connected
      const left = shown.pending + shown.skipped + shown.blocked
      const claims: [says: boolean, isSo: boolean][] = [
        [heading === t('finished.title'), connected === listed],
        [words.includes('all your apps'), heading === t('finished.title')],
        [state === 'done', left === 0],
        [/all set|everything/i.test(heading), shown.connected > 0],
        [search && listed > 0, shown.connected > 0],
        [/^nothing is connected/i.test(heading), connected === 0],
        [heading === t('finished.titleOff'), left + hidden.pending + hidden.skipped + hidden.blocked === 0],
        [heading === t('finished.titleSome'), hidden.pending === 0],
      ]
      for (const [says, isSo] of claims) expect(says && !isSo, what).toBe(false)
      expect(state === 'open', what).toBe(
        shown.pending > 0 || (isNarrowed && FIGURES.every((figure) => shown[figure] === 0)),
      )
      expect(words, what).not.toMatch(/undefined|NaN|\b0 apps|\b1 apps/)
      checked++
    }
    expect(checked).toBe(243 * 7)
  })
})
