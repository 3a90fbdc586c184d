// What an email shows of the company, to the pixel: a picture that is drawn too large is all that people see.
import { describe, expect, it } from 'vitest'
import { looksOf } from '../../src/campaigns/mail/look.ts'
import { sizeOf } from '../../src/campaigns/mail/picture.ts'
import { wrapped } from '../../src/campaigns/mail/wrapped.ts'
import { companyOf } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import type { Asset } from '../../src/company/asset.ts'
import { t } from '../helpers/texts.ts'
import { ACME, picture, png } from './emails.ts'

const looks = (file: CompanyFile, pictures: Record<string, Asset> = {}) => {
  const found = looksOf(companyOf(file, new Map(Object.entries(pictures))))
  return { ...found.in(t), inlines: found.inlines }
}
const ofSize = (width: number, height: number) => picture('png', png(width, height))
const weighing = (bytes: number) => picture('png', Buffer.concat([png(32, 32), Buffer.alloc(bytes - 64)]))

describe('the logo of an email', () => {
  it.each([
    [ofSize(400, 100), 128, 32],
    [ofSize(16, 16), 32, 32],
    [ofSize(2_200, 100), 220, 10],
    [ofSize(220, 32), 220, 32],
    [ofSize(5_000, 1), 220, 1],
    [ofSize(1, 5_000), 1, 32],
    [ofSize(65, 41), 51, 32],
    [weighing(65_536), 32, 32],
  ])('is as high as a line, and never too wide: %#', (light, width, height) => {
    const { logo, darkLogo, inlines } = looks({ logo: { light: 'l' } }, { l: light })
    expect(logo).toEqual({ src: 'cid:logo@onramp', width, height })
    expect(darkLogo).toBeUndefined()
    const { content } = light
    expect(inlines).toEqual([{ cid: 'logo@onramp', filename: 'logo.png', contentType: 'image/png', content }])
  })

  it('does without one that is heavier than all else in the email', () => {
    expect(looks({ logo: { light: 'l' } }, { l: weighing(65_537) })).toMatchObject({
      logo: undefined,
      inlines: [],
    })
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
    expect(looks({ logo: { light: 'l', dark: 'd' } }, { l: svg, d: wide })).toMatchObject({
      logo: undefined,
      darkLogo: undefined,
      inlines: [],
    })
  })

  it('is the icon where the company has no logo that can be shown', () => {
    const svg = picture('svg', Buffer.from('<svg/>'))
    const icon = { i: ofSize(64, 64), l: svg }
    expect(looks({ logo: { light: 'l', icon: 'i' } }, icon)).toMatchObject({
      logo: { src: 'cid:logo@onramp', width: 32 },
      darkLogo: undefined,
    })
  })
})

describe('the words about the company', () => {
  it.each<[CompanyFile, string, string]>([
    [ACME, 'Acme Search', 'A'],
    [{ name: 'Beta' }, 'Beta', 'B'],
    [{}, 'Search setup', 'S'],
  ])('are what search is called, else the company: %#', (file, name, initial) => {
    expect(looks(file)).toMatchObject({ name, initial })
  })

  it('name the links, a home page by its host where it has no name', () => {
    expect(looks(ACME)).toMatchObject({
      help: { href: 'mailto:search@acme.example', label: 'Contact the search team' },
      home: { href: 'https://intranet.acme.example/', label: 'Acme intranet' },
    })
    const url = 'https://home.acme.example/start'
    expect(looks({ links: { home: { url } } }).home).toEqual({ href: url, label: 'home.acme.example' })
    expect(looks({})).toMatchObject({ help: undefined, home: undefined })
  })
})

describe('the size of a picture', () => {
  /** After its two first bytes: segments of a JPEG. */
  const jpeg = (...bytes: number[]) => sizeOf('image/jpeg', Buffer.from([0xff, 0xd8, ...bytes]))
  const frame = (marker: number, height: number, width: number) => [
    0xff,
    marker,
    0,
    11,
    8,
    0,
    height,
    1,
    width,
    1,
    1,
    0x11,
    0,
  ]

  it.each(Array.from({ length: 0xf0 - 0xb0 }, (_, n) => 0xb0 + n))(
    'stands in a frame, and in no other segment: %i',
    (marker) => {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
      const found = jpeg(...frame(marker, 5, 6), ...frame(0xc2, 7, 8))
      expect(found).toEqual(isFrame ? { height: 5, width: 262 } : { height: 7, width: 264 })
    },
  )

  it('is not read beyond the end, nor from what is no segment', () => {
    const bytes = frame(0xc0, 5, 6)
    expect(jpeg(...bytes.slice(0, 10))).toEqual({ height: 5, width: 262 })
    expect(jpeg(...bytes.slice(0, 9))).toBeUndefined()
    expect(jpeg(0xfe, ...bytes.slice(1))).toBeUndefined()
    expect(jpeg(0xff, 0xe0, 0, 3, 1, 0xfe, ...bytes)).toBeUndefined()
    expect(jpeg()).toBeUndefined()
  })

  it.each([
    ['image/png', png(3, 4), { width: 3, height: 4 }],
    ['image/png', png(3, 4).subarray(0, 24), { width: 3, height: 4 }],
    ['image/png', png(3, 4).subarray(0, 23), undefined],
    ['image/png', png(3, 0), undefined],
    ['image/png', png(0, 4), undefined],
    ['image/png', png(1, 1), { width: 1, height: 1 }],
    ['image/webp', png(3, 4), undefined],
    ['image/gif', Buffer.from([0xff, 0xd8, ...frame(0xc0, 5, 6)]), undefined],
    ['image/png', Buffer.from([0xff, 0xd8, ...frame(0xc0, 5, 6)]), undefined],
  ])('of an %s is known or not: %#', (type, content, size) => {
    expect(sizeOf(type, content)).toEqual(size)
  })
})

it.each([
  ['', ''],
  ['one', 'one'],
  ['x'.repeat(80), 'x'.repeat(80)],
  [`${'x'.repeat(70)} y`, `${'x'.repeat(70)} y`],
  [`${'x'.repeat(71)} y`, `${'x'.repeat(71)}\ny`],
  [`${'x'.repeat(30)} ${'y'.repeat(41)} z a`, `${'x'.repeat(30)} ${'y'.repeat(41)}\nz a`],
  [`${'x'.repeat(80)} ${'y'.repeat(80)}`, `${'x'.repeat(80)}\n${'y'.repeat(80)}`],
])('a paragraph has lines of 72 characters at most, broken at spaces: %#', (paragraph, lines) => {
  expect(wrapped(paragraph)).toBe(lines)
})
