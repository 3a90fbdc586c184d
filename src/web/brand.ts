// The company's name, logo and links in the person's language, for every page; neutral without a company file.
import type { Company } from '../company/company.ts'
import type { Texts } from './languages/texts.ts'

type Link = { href: string; label: string }

/** @returns a function for the brand in a language, cached; a failure's reference is added to the help link */
export function createBrand(company: Company) {
  const { name, product, logo, icon, links } = company
  const create = (t: Texts) => {
    const linkOf = (link: Company['links']['help'], label: string): Link | undefined =>
      link && { href: link.url, label: company.localized(link.label, t.lang) ?? label }
    const home = linkOf(links.home, '')
    return {
      name: name === undefined ? t('brand.setup') : t('brand.title', { company: name }),
      company: name,
      logo: logo && { light: logo.light.path, dark: logo.dark.path },
      icon: icon?.path,
      help: linkOf(links.help, t('frame.help')),
      privacy: linkOf(links.privacy, t('frame.privacy')),
      home: home && {
        ...home,
        label: home.label || t('overview.backTo', { place: new URL(home.href).host }),
      },
      // The word for search may be inflected in this language.
      search: linkOf(
        links.search,
        product === undefined ? t('brand.openSearch') : t('brand.open', { product }),
      ),
      examples: company.localized(company.examples, t.lang) ?? [
        t('search.example1'),
        t('search.example2'),
        t('search.example3'),
      ],
    }
  }
  const brands = new Map<string, ReturnType<typeof create>>()
  return (t: Texts, reference?: string) => {
    const brand = brands.get(t.lang) ?? create(t)
    brands.set(t.lang, brand)
    return reference && brand.help ? { ...brand, help: withReference(brand.help, reference, t) } : brand
  }
}

/** Adds the reference to a help link (mailto or web address), so that people needn't copy it. */
function withReference(help: Link, reference: string, t: Texts): Link {
  const url = new URL(help.href)
  const more =
    url.protocol === 'mailto:'
      ? `${url.searchParams.has('subject') ? 'body' : 'subject'}=${encodeURIComponent(t('frame.reference', { reference }))}`
      : `reference=${reference}`
  if (/^(mailto|https?):$/.test(url.protocol)) url.search += `${url.search === '' ? '?' : '&'}${more}`
  return { ...help, href: url.href }
}
