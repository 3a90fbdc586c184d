// What an email shows of the company, to the pixel: a picture that is drawn too large is all that people see.
import { describe, expect, it } from 'vitest'
import { looksOf } from '../../src/campaigns/mail/look.ts'
import { companyOf } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import type { Asset } from '../../src/company/asset.ts'
import { t } from '../helpers/texts.ts'
import { jpeg, picture, png } from './emails.ts'

const looks = (file: CompanyFile, pictures: Record<string, Asset> = {}) => {
  const found = looksOf(companyOf(file, new Map(Object.entries(pictures))))
  return { ...found.in(t), inlines: found.inlines }
}
const ofSize = (width: number, height: number) => picture('png', png(width, height))
const weighing = (bytes: number) => picture('png', Buffer.concat([png(32, 32), Buffer.alloc(bytes - 64)]))

/** A segment of a JPEG that says nothing, or a frame of 6 by 5 pixels. */
const segment = (marker: number) => [0xff, marker, 0, 11, 8, 0, 5, 0, 6, 1, 1, 0x11, 0]
const ofSegments = (...bytes: number[]) => picture('jpg', Buffer.from([0xff, 0xd8, ...bytes]))

describe('the logo of an email', () => {
  it.each<[string, Asset, [width: number, height: number] | undefined]>([
    ['a PNG', ofSize(400, 100), [128, 32]],
    ['a small PNG', ofSize(16, 16), [32, 32]],
    ['a wide PNG', ofSize(2_200, 100), [220, 10]],
    ['a PNG of a line', ofSize(5_000, 1), [220, 1]],
    ['a PNG of a column', ofSize(1, 5_000), [1, 32]],
    ['an odd PNG', ofSize(65, 41), [51, 32]],
    ['a PNG as heavy as may be', weighing(65_536), [32, 32]],
    ['a PNG that is heavier than all else', weighing(65_537), undefined],
    ['a PNG that ends early', picture('png', png(3, 4).subarray(0, 23)), undefined],
    ['a PNG of no height', ofSize(3, 0), undefined],
    ['a JPEG', picture('jpg', jpeg(60, 50)), [38, 32]],
    ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xcf].map((marker): [string, Asset, [number, number]] => [
      `a JPEG with the frame ${marker}`,
      ofSegments(...segment(0xc4), ...segment(marker)),
      [38, 32],
    ]),
    ['a JPEG without a frame', ofSegments(...segment(0xcc), ...segment(0xc8)), undefined],
    ['a JPEG with a gap', ofSegments(...segment(0xc4), 0, ...segment(0xc0).slice(1)), undefined],
    ['a JPEG that ends early', ofSegments(...segment(0xc0).slice(0, 9)), undefined],
    ['a WebP', picture('webp', Buffer.from('RIFF0000WEBP')), undefined],
  ])('is as high as a line and never too wide, or left out: %s', (_what, light, size) => {
    const { logo, darkLogo, inlines } = looks({ logo: { light: 'l' } }, { l: light })
    expect([logo, darkLogo]).toEqual([
      size && { src: 'cid:logo@onramp', width: size[0], height: size[1] },
      undefined,
    ])
    expect(inlines.map(({ content }) => content)).toEqual(size ? [light.content] : [])
  })

  it('has another one in dark mode, where there are two that can be shown', () => {
    const [wide, high] = [ofSize(320, 32), ofSize(32, 64)]
    const both = looks({ logo: { light: 'l', dark: 'd' } }, { l: wide, d: high })
    expect(both.darkLogo).toEqual({ src: 'cid:logo-dark@onramp', width: 16, height: 32 })
    expect(both.inlines.map(({ cid, filename }) => [cid, filename])).toEqual([
      ['logo@onramp', 'logo.png'],
      ['logo-dark@onramp', 'logo-dark.png'],
    ])
    const svg = picture('svg', Buffer.from('<svg/>'))
    expect(looks({ logo: { light: 'l', dark: 'd' } }, { l: wide, d: svg }).darkLogo).toBeUndefined()
    const icon = { l: svg, i: ofSize(64, 64) }
    expect(looks({ logo: { light: 'l', icon: 'i' } }, icon)).toMatchObject({
      logo: { width: 32 },
      darkLogo: undefined,
    })
  })
})
