// Reads the pictures that a company file names: from its own folder only, and judged by their content, because a name
// proves nothing.
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, sep } from 'node:path'
import { assetOf, type Asset, type Ending } from './asset.ts'
import { svgFault } from './svg.ts'

const MAX_LOGO_KB = 256

type LogoRead = { logo: Asset } | { fault: string }

const beginsWith = (content: Buffer, bytes: string, at = 0) =>
  content.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))

function utf8(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

type Kind = { ending: Ending } | { fault: string }

function kindOf(content: Buffer): Kind {
  if (content.length === 0) return { fault: 'is empty' }
  if (beginsWith(content, '\x89PNG\r\n\x1a\n')) return { ending: 'png' }
  if (beginsWith(content, '\xff\xd8\xff')) return { ending: 'jpg' }
  if (beginsWith(content, 'RIFF') && beginsWith(content, 'WEBP', 8)) return { ending: 'webp' }
  const text = utf8(content)
  if (text === undefined || text.includes('\0') || !/^\s*</.test(text))
    return { fault: 'is no SVG, PNG, WebP or JPEG picture: save it as one of them' }
  const fault = svgFault(text)
  return fault === undefined ? { ending: 'svg' } : { fault: `${fault}: save it as a plain drawing` }
}

/** Its bytes, or what is wrong. What is judged is what is served: the file is read once. */
function contentOf(path: string): Buffer | string {
  const stats = statSync(path)
  if (!stats.isFile()) return 'is not a file: name a picture'
  return stats.size > MAX_LOGO_KB * 1024
    ? `has ${Math.ceil(stats.size / 1024)} KB, more than ${MAX_LOGO_KB} KB: make it smaller`
    : readFileSync(path)
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'

/** Where it really is; symbolic links inside the folder are fine, as a mounted ConfigMap has them. */
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
    const kind = kindOf(content)
    if ('fault' in kind) return { fault: `${name} ${kind.fault}` }
    const plain =
      basename(name)
        .replace(/\.\w+$/, '')
        .replaceAll(/[^\w-]+/g, '-') || 'logo'
    return { logo: assetOf(`/assets/company/${plain}`, kind.ending, content) }
  } catch (error) {
    return { fault: `${name} cannot be read (${codeOf(error)}): let onramp's user read it` }
  }
}
