// The data that compose.ts passes to every view, for tests that render views without it.
import { neutralCompany } from '../../src/company/company.ts'
import { brandOf } from '../../src/web/brand.ts'
import { t } from './texts.ts'

export const brandIn = brandOf(neutralCompany)

export const sheets = { schedule: '/assets/schedule.css', walk: '/assets/walk.css', wide: '/assets/wide.css' }
export const scripts = { walk: '/assets/walk.js' }

export const frame = {
  stylesheet: '/assets/onramp.css',
  colors: '/assets/company/brand.css',
  icon: '/assets/icon.svg',
  brand: brandIn(t),
  initials: 'AL',
  windowTitle: (title: string) => title,
  languages: '',
}
