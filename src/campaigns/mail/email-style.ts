// The company's name, logo, colors and links in emails. The logo is attached (cid:), because mail programs block
// remote pictures. They show no SVG and often no WebP; the name then replaces the logo.
import { imageSize } from 'image-size'
import { initialOf, libraryIconOf } from '../../company/app-icons.ts'
import type { StaticAsset } from '../../company/static-asset.ts'
import type { Company } from '../../company/company.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { createBrand } from '../../web/brand.ts'

/** Limits for the attached logo. 64 KB in 50,000 emails are three gigabytes. */
const LOGO = { maxWidth: 220, height: 32, maxKb: 64 }
const ICON = { maxWidth: 28, height: 28, maxKb: 16 }

/** The size in pixels, without which Outlook for Windows shows a picture in its real size. */
function sizeOf({ type, content }: StaticAsset): { width: number; height: number } | undefined {
  if (type !== 'image/png' && type !== 'image/jpeg') return undefined
  try {
    const { width, height } = imageSize(content)
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    return undefined
  }
}

/**
 * @returns `inline`, an attached picture, and `logo`, which refers to it by `cid` (RFC 2392). Undefined if mail
 * programs wouldn't show the picture, or it is too large
 */
function attachedLogo(
  cid: string,
  asset: StaticAsset | undefined,
  { maxWidth, height: maxHeight, maxKb } = LOGO,
) {
  if (asset === undefined || asset.content.length > maxKb * 1024) return undefined
  const { type, content, path } = asset
  const size = sizeOf(asset)
  if (size === undefined) return undefined
  const scale = Math.min(maxHeight / size.height, maxWidth / size.width)
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.round(side * scale)))
  const ending = path.slice(path.lastIndexOf('.'))
  return {
    logo: { src: `cid:${cid}@onramp`, width: width ?? 1, height: height ?? 1 },
    inline: { cid: `${cid}@onramp`, filename: `${cid}${ending}`, contentType: type, content },
  }
}

export function createEmailStyles(company: Company) {
  const { logo, icon, links, color, product, name: companyName, localized } = company
  const light = attachedLogo('logo', logo?.light) ?? attachedLogo('logo', icon)
  const hasDark = light !== undefined && logo !== undefined && logo.dark !== logo.light
  const dark = hasDark ? attachedLogo('logo-dark', logo.dark) : undefined
  const brandIn = createBrand(company)
  const styleIn = (t: Texts) => {
    const name = product ?? companyName ?? t('brand.setup')
    const home = links.home && {
      href: links.home.url,
      label: localized(links.home.label, t.lang) ?? new URL(links.home.url).host,
    }
    const { help } = brandIn(t)
    const logos = { logo: light?.logo, darkLogo: dark?.logo }
    return { name, company: companyName, initial: initialOf(name), color, ...logos, help, home }
  }
  /** The icon of the company, else of the library. Undefined: a letter is shown. */
  const iconOf = (instance: string, n: number) =>
    [company.datasourceOf(instance)?.logo, libraryIconOf(instance)?.image]
      .map((asset) => attachedLogo(`app-${n}`, asset, ICON))
      .find((attached) => attached !== undefined)
  return { iconOf, inlines: [light, dark].flatMap((attached) => attached?.inline ?? []), styleIn }
}
