// What compose.ts hands to every page, for tests that render views without it.
import { neutralBrand, type Brand } from '../../src/web/pages.ts'
import type { Texts } from '../../src/web/languages/texts.ts'
import { t } from './texts.ts'

export const brandIn = (texts: Texts): Brand => neutralBrand(texts, undefined)

export const sheets = { schedule: '/assets/schedule.css' }
export const scripts = { wait: '/assets/wait.js' }

export const frame = {
  stylesheet: '/assets/onramp.css',
  icon: '/assets/icon.svg',
  brand: neutralBrand(t, undefined),
  initials: 'AL',
  languages: [],
}
