// Logos in emails: sizes, dark variant and limits.
import { expect, it } from 'vitest'
import { createEmailStyles } from '../../src/campaigns/mail/email-style.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import type { StaticAsset } from '../../src/company/static-asset.ts'
import { t } from '../helpers/texts.ts'
import { jpeg, picture, png } from './emails.ts'

const styles = (file: CompanyFile, pictures: Record<string, StaticAsset> = {}) => {
  const { inlines, styleIn } = createEmailStyles(resolveCompany(file, new Map(Object.entries(pictures))))
  return { ...styleIn(t), inlines }
}
const ofSize = (width: number, height: number) => picture('png', png(width, height))
const weighing = (bytes: number) => picture('png', Buffer.concat([png(32, 32), Buffer.alloc(bytes - 64)]))

it.each<[string, StaticAsset, [width: number, height: number] | undefined]>([
  ['a PNG', ofSize(400, 100), [128, 32]],
  ['a small PNG', ofSize(16, 16), [32, 32]],
  ['a wide PNG', ofSize(2_200, 100), [220, 10]],
  ['a PNG as flat as a line', ofSize(5_000, 1), [220, 1]],
  ['a PNG as narrow as a column', ofSize(1, 5_000), [1, 32]],
  ['an odd PNG', ofSize(65, 41), [51, 32]],
  ['a PNG of the maximum size', weighing(65_536), [32, 32]],
  ['a PNG above the maximum size', weighing(65_537), undefined],
  ['a PNG without a height', ofSize(3, 0), undefined],
  ['a JPEG', picture('jpg', jpeg(60, 50)), [38, 32]],
  ['a JPEG without a frame', picture('jpg', jpeg(60, 50).subarray(0, 8)), undefined],
  ['a WebP', picture('webp', Buffer.from('RIFF0000WEBP')), undefined],
])('the logo of an email fits its line, or is left out: %s', (_title, light, size) => {
  const { logo, darkLogo, inlines } = styles({ logo: { light: 'l' } }, { l: light })
  expect([logo, darkLogo]).toEqual([
    size && { src: 'cid:logo@onramp', width: size[0], height: size[1] },
    undefined,
  ])
  expect(inlines.map(({ content }) => content)).toEqual(size ? [light.content] : [])
})

it('the logo of an email has a dark variant if the company has one', () => {
  const [wide, high] = [ofSize(320, 32), ofSize(32, 64)]
  const both = styles({ logo: { light: 'l', dark: 'd' } }, { l: wide, d: high })
  expect(both.darkLogo).toEqual({ src: 'cid:logo-dark@onramp', width: 16, height: 32 })
  expect(both.inlines.map(({ cid, filename }) => [cid, filename])).toEqual([
    ['logo@onramp', 'logo.png'],
    ['logo-dark@onramp', 'logo-dark.png'],
  ])
  const svg = picture('svg', Buffer.from('<svg/>'))
  expect(styles({ logo: { light: 'l', dark: 'd' } }, { l: wide, d: svg }).darkLogo).toBeUndefined()
  const icon = { l: svg, i: ofSize(64, 64) }
  expect(styles({ logo: { light: 'l', icon: 'i' } }, icon)).toMatchObject({
    logo: { width: 32 },
    darkLogo: undefined,
  })
})
