import { assert, nat, property } from 'fast-check'
import { readCatalogue } from '../../src/web/languages/catalogue.ts'
import { textsOf } from '../../src/web/languages/texts.ts'
import { LANGUAGES } from '../../src/web/languages/catalogue.ts'
import { describe, expect, it } from 'vitest'
import { NO_SHARE, sharesIn } from '../../src/admin/table.ts'

const shares = (tag: string) => sharesIn(textsOf(tag, readCatalogue(LANGUAGES, 'en')))

describe('a share', () => {
  it('is written as the language of its reader writes it', () => {
    expect(shares('de')(1, 3)).toBe('33\u00a0%')
    expect(shares('tr')(1, 3)).toBe('%33')
    expect(shares('ar-EG')(1, 3)).toContain('٣٣')
  })

  it.each([
    [0, 0, NO_SHARE],
    [0, 7, '0%'],
    [7, 7, '100%'],
    [1, 3, '33%'],
    [1999, 2000, '99%'],
    [1, 2000, '<1%'],
  ])('of %i in %i is %s', (part, whole, shown) => {
    expect(shares('en')(part, whole)).toBe(shown)
  })

  it('is never more than 100%, all of it only where it is all, and none only where it is none', () => {
    const share = shares('en')
    assert(
      property(nat(5000), nat(5000), (part, whole) => {
        const percent = Number(/\d+/.exec(share(part, whole))?.[0] ?? 0)
        return (
          percent <= 100 && (part >= whole || percent < 100) && (part === 0 || whole === 0 || percent > 0)
        )
      }),
    )
  })
})
