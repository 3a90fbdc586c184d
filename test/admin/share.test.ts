import { assert, nat, property } from 'fast-check'
import { readCatalogue } from '../../src/web/languages/catalogue.ts'
import { textsOf } from '../../src/web/languages/texts.ts'
import { LANGUAGES } from '../../src/web/languages/catalogue.ts'
import { describe, expect, it } from 'vitest'
import { NO_SHARE, shareOf, sharesIn } from '../../src/admin/share.ts'

describe('a share on a page', () => {
  const shares = (tag: string) => sharesIn(textsOf(tag, readCatalogue(LANGUAGES, 'en')))

  it('is written as the language of its reader writes it', () => {
    expect(shares('en')(1, 3)).toBe('33%')
    expect(shares('de')(1, 3)).toBe('33\u00a0%')
    expect(shares('tr')(1, 3)).toBe('%33')
    expect(shares('ar-EG')(1, 3)).toContain('٣٣')
  })

  it('is 100% only where it is all, and 0% only where it is none, in each of them', () => {
    expect(shares('de')(1999, 2000)).toBe('99\u00a0%')
    expect(shares('de')(1, 2000)).toBe('<1\u00a0%')
    expect(shares('de')(0, 7)).toBe('0\u00a0%')
    expect(shares('de')(0, 0)).toBe(NO_SHARE)
  })
})

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
