// Reads the pictures of a company file, from its folder only. The content determines the format, because names may lie.
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, sep } from 'node:path'
import { createStaticAsset, type StaticAsset } from './static-asset.ts'

const MAX_LOGO_KB = 256
/** The root element of an SVG begins within this head. */
const HEAD_BYTES = 4096
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

class UnusablePicture extends Error {}

const beginsWith = (content: Buffer, bytes: string, at = 0) =>
  content.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))

/** The name of the first element, after an XML declaration, comments and a document type. */
const rootOf = (content: Buffer) =>
  /<([a-z][\w:.-]*)/i.exec(content.toString('latin1', 0, HEAD_BYTES).replaceAll(/<!--.*?-->/gs, ''))?.[1]

function extensionOf(content: Buffer) {
  if (content.length === 0) throw new UnusablePicture('is empty')
  if (beginsWith(content, '\x89PNG\r\n\x1a\n')) return 'png'
  if (beginsWith(content, '\xff\xd8\xff')) return 'jpg'
  if (beginsWith(content, 'RIFF') && beginsWith(content, 'WEBP', 8)) return 'webp'
  // An SVG isn't parsed: pages load it as an image only, and it is served with a strict policy (web/assets.ts).
  if (!/^(?:\w+:)?svg$/.test(rootOf(content) ?? ''))
    throw new UnusablePicture("isn't an SVG, PNG, WebP or JPEG image: save it as one of them")
  if (content.includes(SVG_NAMESPACE)) return 'svg'
  throw new UnusablePicture(
    `lacks xmlns="${SVG_NAMESPACE}", without which no browser shows it: add it to <svg>`,
  )
}

/** Reads a file once, so that the checked bytes are served. */
function contentOf(path: string): Buffer {
  const stats = statSync(path)
  if (!stats.isFile()) throw new UnusablePicture('is not a file: name an image')
  const size = Math.ceil(stats.size / 1024)
  if (size > MAX_LOGO_KB)
    throw new UnusablePicture(`is ${size} KB, more than ${MAX_LOGO_KB} KB: make it smaller`)
  return readFileSync(path)
}

/** The real path. Symbolic links inside the folder are allowed, because a mounted ConfigMap has them. */
function filePathIn(folder: string, name: string): string {
  if (isAbsolute(name) || /^[a-z][a-z+.-]*:/i.test(name) || name.includes('\\') || name.includes('\0'))
    throw new UnusablePicture("must be a path from the company file's folder, like logo.svg")
  const path = realpathSync(join(folder, name))
  if (path.startsWith(join(realpathSync(folder), sep))) return path
  throw new UnusablePicture("is outside of the company file's folder: copy it there")
}

/** @param folder of the company file @param name the path in the company file */
export function readLogo(folder: string, name: string): { logo: StaticAsset } | { fault: string } {
  try {
    const content = contentOf(filePathIn(folder, name))
    const [base = ''] = basename(name).split(/\.\w+$/)
    const plain = base.replaceAll(/[^\w-]+/g, '-') || 'logo'
    return { logo: createStaticAsset(`/assets/company/${plain}`, extensionOf(content), content) }
  } catch (error) {
    if (error instanceof UnusablePicture) return { fault: `${name} ${error.message}` }
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    return {
      fault: `${name} ${code === 'ENOENT' ? "doesn't exist: check the path" : `cannot be read (${code}): let onramp's user read it`}`,
    }
  }
}
