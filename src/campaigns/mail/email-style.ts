// What an email shows of the company: name, logo, colours, links. The logo travels with the email (cid:), because mail
// programs block remote pictures at first; they show no SVG and, in part, no WebP, so a name takes its place.
import { imageSize } from 'image-size'
import { initialOf } from '../../company/app-icons.ts'
import type { StaticAsset } from '../../company/static-asset.ts'
import type { Company } from '../../company/company.ts'
import type { Palette } from '../../company/contrast.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { brandOf } from '../../web/brand.ts'

/** A picture inside the email; `cid` is its name there (RFC 2392). */
export type InlineImage = { cid: string; filename: string; contentType: string; content: Buffer }

type Link = { href: string; label: string }
/** Pixels, as it is shown. */
type Logo = { src: string; width: number; height: number }

export type EmailStyle = {
  /** What search is called, else the company; and the letter in its square where there is no logo. */
  name: string
  initial: string
  color: { light: Palette; dark: Palette }
  logo: Logo | undefined
  /** Another one for dark mode, where the company has it. */
  darkLogo: Logo | undefined
  help: Link | undefined
  home: Link | undefined
}

const LOGO_HEIGHT = 32
const MAX_LOGO_WIDTH = 220
/** It leaves with every email: 50,000 of them are three gigabytes. */
const MAX_LOGO_KB = 64

/** Pixels, because Outlook for Windows needs the width of a picture, or draws it in its real size. */
function sizeOf({ type, content }: StaticAsset): { width: number; height: number } | undefined {
  if (type !== 'image/png' && type !== 'image/jpeg') return undefined
  try {
    const { width, height } = imageSize(content)
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    return undefined
  }
}

type Shown = { logo: Logo; inline: InlineImage }

/** @param cid undefined where mail programs would not show it, or it is too heavy */
function shownIn(cid: string, asset: StaticAsset | undefined): Shown | undefined {
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

export function createEmailStyles(company: Company) {
  const { logo, icon, links, color } = company
  const light = shownIn('logo', logo?.light) ?? shownIn('logo', icon)
  const hasDark = light !== undefined && logo !== undefined && logo.dark !== logo.light
  const dark = hasDark ? shownIn('logo-dark', logo.dark) : undefined
  const brandIn = brandOf(company)
  const create = (t: Texts): EmailStyle => {
    const name = company.product ?? company.name ?? t('brand.setup')
    const home = links.home && {
      href: links.home.url,
      label: company.localized(links.home.label, t.lang) ?? new URL(links.home.url).host,
    }
    return {
      name,
      initial: initialOf(name),
      color,
      logo: light?.logo,
      darkLogo: dark?.logo,
      help: brandIn(t).help,
      home,
    }
  }
  return {
    in: create,
    /** What every email carries. */
    inlines: [light, dark].flatMap((shown) => (shown === undefined ? [] : [shown.inline])),
  }
}

export type EmailStyles = ReturnType<typeof createEmailStyles>
