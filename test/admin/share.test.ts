import { assert, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_SHARE, shareOf } from '../../src/admin/report.ts'

describe('a share', () => {
  it.each([
    [0, 0, NO_SHARE],
    [0, 7, '0%'],
    [7, 7, '100%'],
    [1, 3, '33%'],
    [1999, 2000, '99%'],
    [1, 2000, '<1%'],
  ])('of %i in %i is %s', (part, whole, shown) => {
    expect(shareOf(part, whole)).toBe(shown)
  })

  it('is never more than 100%, all of it only where it is all, and none only where it is none', () => {
    assert(
      property(nat(5000), nat(5000), (part, whole) => {
        const shown = shareOf(part, whole)
        const percent = Number(/\d+/.exec(shown)?.[0] ?? 0)
        return (
          percent <= 100 && (part >= whole || percent < 100) && (part === 0 || whole === 0 || percent > 0)
        )
      }),
    )
  })
})
