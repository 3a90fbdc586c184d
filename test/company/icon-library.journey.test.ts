// The files that `npm run icons` writes. Its libraries take half a second to load.
import { readFileSync } from 'node:fs'
import { imageSize } from 'image-size'
import { expect, it } from 'vitest'
import { appIcons, libraryIconOf } from '../../src/company/app-icons.ts'
import { drawingId, IMAGES_FILE } from '../helpers/app-icon-images.ts'
import { ICONS_FILE, iconsDocument } from '../helpers/app-icons.ts'

it('the app icons match the icon library, as `npm run icons` writes them', () => {
  expect(readFileSync(ICONS_FILE, 'utf8')).toBe(iconsDocument())
})

it('the icons for emails match the app icons, as `npm run icons` draws them', () => {
  const images = JSON.parse(readFileSync(IMAGES_FILE, 'utf8')) as Record<string, { of: string }>
  expect(Object.values(images).map(({ of }) => of)).toEqual(appIcons.map(({ content }) => drawingId(content)))
  expect(imageSize(libraryIconOf('jira')?.image.content ?? Buffer.of())).toMatchObject({
    type: 'png',
    width: 56,
    height: 56,
  })
})
