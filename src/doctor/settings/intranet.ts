// RETURN_TO_ORIGINS: pages there may lead back and forth, but <onramp-status> works only within one site.
import type { Check } from '../check.ts'
import { ok, skip, warn } from '../finding.ts'
import { isSameSite, siteOf } from './site.ts'

export const intranet: Check = {
  id: 'settings.intranet',
  about: 'The intranet',
  group: 'Settings',
  look({ settings: { PUBLIC_URL: url, RETURN_TO_ORIGINS: origins = [] } }) {
    if (url === undefined) return [skip('PUBLIC_URL cannot be read.')]
    if (origins.length === 0) return [skip('RETURN_TO_ORIGINS names none.')]
    const elsewhere = origins.filter((origin) => !isSameSite(origin, url))
    if (elsewhere.length === 0) return [ok('<onramp-status> works on every page of RETURN_TO_ORIGINS.')]
    return [
      warn(
        `${elsewhere.join(', ')}: another site than PUBLIC_URL, so browsers send no cookie from there (SameSite=Lax), and <onramp-status> always says signed out.`,
        {
          settings: ['PUBLIC_URL', 'RETURN_TO_ORIGINS'],
          mend: `give onramp a name of the same site, like onramp.${siteOf(new URL(elsewhere[0] ?? url).hostname)}; links there and back work as they are`,
        },
      ),
    ]
  },
}
