// `npm run icons` draws the icons for emails, where mail programs show no SVG: src/company/icon-images.json.
// test/company/icon-library.journey.test.ts compares their sources.
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { appIcons } from '../../src/company/app-icons.ts'
import { openChromium } from './chromium.ts'

export const IMAGES_FILE = new URL('../../src/company/icon-images.json', import.meta.url).pathname

/** Pixels of the square, twice the displayed size, and of its icon. */
const [SIZE, ICON] = [56, 40]
const SHADES = 16

/** Key of a drawing: the image is redrawn when it changes. */
export const drawingId = (svg: Buffer) => hash('sha256', svg, 'hex').slice(0, 12)

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG of 16 shades between white and a color. @param coverage from 0 to 255, for each pixel */
function pngOf(coverage: readonly number[], color: string): Buffer {
  const channels = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
  const palette = Array.from({ length: SHADES }, (_, shade) =>
    channels.map((one) => Math.round(255 + ((one - 255) * shade) / (SHADES - 1))),
  )
  const shades = coverage.map((one) => Math.round((one / 255) * (SHADES - 1)))
  const rows = Array.from({ length: SIZE }, (_, y) => [
    0,
    ...Array.from({ length: SIZE / 2 }, (_pair, x) => {
      const at = y * SIZE + 2 * x
      return ((shades[at] ?? 0) << 4) | (shades[at + 1] ?? 0)
    }),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  header.set([4, 3], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

async function imagesDocument(): Promise<string> {
  const browser = await openChromium()
  const page = await browser.newPage()
  const images: Record<string, { of: string; png: string }> = {}
  for (const { path, content } of appIcons) {
    const color = /fill="(#[\da-f]{6})"/.exec(content.toString())?.[1] ?? '#000000'
    const drawn = encodeURIComponent(content.toString())
    const coverage = await page.evaluate<number[]>(`(async () => {
      const context = new OffscreenCanvas(${SIZE}, ${SIZE}).getContext('2d')
      const image = new Image()
      image.src = 'data:image/svg+xml,${drawn}'
      await image.decode()
      context.drawImage(image, ${(SIZE - ICON) / 2}, ${(SIZE - ICON) / 2}, ${ICON}, ${ICON})
      return [...context.getImageData(0, 0, ${SIZE}, ${SIZE}).data].filter((_, at) => at % 4 === 3)
    })()`)
    const slug = path.split(/[/.]/).at(-3) ?? ''
    images[slug] = { of: drawingId(content), png: pngOf(coverage, color).toString('base64') }
  }
  await browser.close()
  return `${JSON.stringify(images, undefined, 2)}\n`
}

if (import.meta.main) writeFileSync(IMAGES_FILE, await imagesDocument())
