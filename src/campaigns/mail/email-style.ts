// The company's name, logo, colors and links in emails. The logo is attached (cid:), because mail programs block remote
// pictures; they show no SVG and often no WebP, so the name takes its place.
import { imageSize } from 'image-size'
import { initialOf } from '../../company/app-icons.ts'
import type { StaticAsset } from '../../company/static-asset.ts'
import type { Company } from '../../company/company.ts'
import type { Palette } from '../../company/contrast.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { brandOf } from '../../web/brand.ts'

/** An attached picture; the HTML refers to it by `cid` (RFC 2392). */
type InlineImage = { cid: string; filename: string; contentType: string; content: Buffer }

type Link = { href: string; label: string }
/** Pixels. */
type Logo = { src: string; width: number; height: number }

type EmailStyle = {
  name: string
  initial: string
  color: { light: Palette; dark: Palette }
  logo: Logo | undefined
  darkLogo: Logo | undefined
  help: Link | undefined
  home: Link | undefined
}

const LOGO_HEIGHT = 32
const MAX_LOGO_WIDTH = 220
/** In each email: 50,000 of them are three gigabytes. */
const MAX_LOGO_KB = 64

/** Pixels: without a width, Outlook for Windows draws a picture in its real size. */
function sizeOf({ type, content }: StaticAsset): { width: number; height: number } | undefined {
  if (type !== 'image/png' && type !== 'image/jpeg') return undefined
  try {
    const { width, height } = imageSize(content)
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined if mail programs wouldn't show it, or it is too large */
function attachedLogo(
  cid: string,
  asset: StaticAsset | undefined,
): { logo: Logo; inline: InlineImage } | undefined {
  if (asset === undefined || asset.content.length > MAX_LOGO_KB * 1024) return undefined
  const { type, content, path } = asset
  const size = sizeOf(asset)
  if (size === undefined) return undefined
  const scale = Math.min(LOGO_HEIGHT / size.height, MAX_LOGO_WIDTH / size.width)
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.round(side * scale)))
  const ending = path.slice(path.lastIndexOf('.'))
  return {
    logo: { src: `cid:${cid}@onramp`, width: width ?? 1, height: height ?? 1 },
    inline: { cid: `${cid}@onramp`, filename: `${cid}${ending}`, contentType: type, content },
  }
}

type EmailStyles = {
  inlines: readonly InlineImage[]
  styleIn: (t: Texts) => EmailStyle
}

export function createEmailStyles(company: Company): EmailStyles {
  const { logo, icon, links, color, product, name: companyName, localized } = company
  const light = attachedLogo('logo', logo?.light) ?? attachedLogo('logo', icon)
  const hasDark = light !== undefined && logo !== undefined && logo.dark !== logo.light
  const dark = hasDark ? attachedLogo('logo-dark', logo.dark) : undefined
  const brandIn = brandOf(company)
  const styleIn = (t: Texts): EmailStyle => {
    const name = product ?? companyName ?? t('brand.setup')
    const home = links.home && {
      href: links.home.url,
      label: localized(links.home.label, t.lang) ?? new URL(links.home.url).host,
    }
    const { help } = brandIn(t)
    return { name, initial: initialOf(name), color, logo: light?.logo, darkLogo: dark?.logo, help, home }
  }
  return { inlines: [light, dark].flatMap((attached) => attached?.inline ?? []), styleIn }
}
