// Brand colors: every pair of colors on a page is readable.
import { assert, integer, property } from 'fast-check'
import { expect, it } from 'vitest'
import { contrast, contrastFault, GROUND, palettesOf } from '../../src/company/contrast.ts'

const isReadable = (color: string, scheme: 'light' | 'dark') => contrastFault(color, scheme) === undefined

const colors = integer({ min: 0, max: 0xff_ff_ff }).map(
  (number) => `#${number.toString(16).padStart(6, '0')}`,
)

it.each([
  ['#000000', '#ffffff', 21],
  ['#767676', '#ffffff', 4.54],
  ['#0000ff', '#ffffff', 8.59],
])('the contrast of %s and %s is %d (WCAG example)', (one, other, ratio) => {
  expect(contrast(one, other)).toBeCloseTo(ratio, 1)
  expect(contrast(other, one)).toBe(contrast(one, other))
})

it('a brand color below 4.5:1 on the page is refused, and at 4.5:1 accepted', () => {
  expect([isReadable('#777777', 'light'), isReadable('#767676', 'light')]).toEqual([false, true])
  expect([isReadable('#0b6e5f', 'dark'), isReadable('#4fd1b5', 'dark')]).toEqual([false, true])
})

it.each(['light', 'dark'] as const)('an accepted brand color has readable text on it, in %s', (scheme) => {
  assert(
    property(
      colors.filter((color) => isReadable(color, scheme)),
      (color) => {
        const { brand, onBrand, soft, strong } = palettesOf({ light: color, dark: color })[scheme]
        const ink = scheme === 'light' ? '#171a26' : '#eceef6'
        const pairs = [
          [onBrand, brand],
          [onBrand, strong],
          [brand, GROUND[scheme]],
          [strong, soft],
          [ink, soft],
        ] as const
        for (const [one, other] of pairs)
          expect(contrast(one, other), `${one} on ${other}`).toBeGreaterThanOrEqual(4.5)
      },
    ),
  )
})

it('a brand color is lightened for dark pages until it is readable', () => {
  const darkOf = (light: string) => palettesOf({ light }).dark.brand
  assert(property(colors, (color) => isReadable(darkOf(color), 'dark')))
  expect(darkOf('#4fd1b5')).toBe('#4fd1b5')
})
