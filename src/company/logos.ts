// Reads the pictures of a company file, from its folder only. The format is read from the content: a name proves nothing.
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, sep } from 'node:path'
import { createStaticAsset, type StaticAsset, type FileExtension } from './static-asset.ts'

const MAX_LOGO_KB = 256
/** The root element of an SVG begins in it. */
const HEAD_BYTES = 4096
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

type LogoRead = { logo: StaticAsset } | { fault: string }

const beginsWith = (content: Buffer, bytes: string, at = 0) =>
  content.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))

/** The name of the first element, after an XML declaration, comments and a document type. */
const rootOf = (content: Buffer) =>
  /<([a-z][\w:.-]*)/i.exec(content.toString('latin1', 0, HEAD_BYTES).replaceAll(/<!--.*?-->/gs, ''))?.[1]

type ImageFormat = { ending: FileExtension } | { fault: string }

function imageFormatOf(content: Buffer): ImageFormat {
  if (content.length === 0) return { fault: 'is empty' }
  if (beginsWith(content, '\x89PNG\r\n\x1a\n')) return { ending: 'png' }
  if (beginsWith(content, '\xff\xd8\xff')) return { ending: 'jpg' }
  if (beginsWith(content, 'RIFF') && beginsWith(content, 'WEBP', 8)) return { ending: 'webp' }
  // Not parsed: pages load it as an image only, and its address has a policy that lets it do nothing (web/assets.ts).
  if (!/^(?:\w+:)?svg$/.test(rootOf(content) ?? ''))
    return { fault: 'is no SVG, PNG, WebP or JPEG picture: save it as one of them' }
  return content.includes(SVG_NAMESPACE)
    ? { ending: 'svg' }
    : { fault: `lacks xmlns="${SVG_NAMESPACE}", without which no browser shows it: add it to <svg>` }
}

/** The bytes, or a fault. Read once, so that the checked bytes are the served ones. */
function contentOf(path: string): Buffer | string {
  const stats = statSync(path)
  if (!stats.isFile()) return 'is not a file: name a picture'
  return stats.size > MAX_LOGO_KB * 1024
    ? `has ${Math.ceil(stats.size / 1024)} KB, more than ${MAX_LOGO_KB} KB: make it smaller`
    : readFileSync(path)
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'

/** The real path. Symbolic links inside the folder are fine: a mounted ConfigMap has them. */
function pathOf(folder: string, name: string): { path: string } | { fault: string } {
  if (isAbsolute(name) || /^[a-z][a-z+.-]*:/i.test(name) || name.includes('\\') || name.includes('\0'))
    return { fault: `${name} must be a path from the company file's folder, like logo.svg` }
  try {
    const path = realpathSync(join(folder, name))
    return path.startsWith(join(realpathSync(folder), sep))
      ? { path }
      : { fault: `${name} is outside of the company file's folder: copy it there` }
  } catch (error) {
    const code = codeOf(error)
    return {
      fault: `${name} ${code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`}: check the path`,
    }
  }
}

/**
 * @param folder of the company file
 * @param name the path as the company file has it
 */
export function readLogo(folder: string, name: string): LogoRead {
  const found = pathOf(folder, name)
  if ('fault' in found) return found
  try {
    const content = contentOf(found.path)
    if (typeof content === 'string') return { fault: `${name} ${content}` }
    const kind = imageFormatOf(content)
    if ('fault' in kind) return { fault: `${name} ${kind.fault}` }
    const plain =
      basename(name)
        .replace(/\.\w+$/, '')
        .replaceAll(/[^\w-]+/g, '-') || 'logo'
    return { logo: createStaticAsset(`/assets/company/${plain}`, kind.ending, content) }
  } catch (error) {
    return { fault: `${name} cannot be read (${codeOf(error)}): let onramp's user read it` }
  }
}
