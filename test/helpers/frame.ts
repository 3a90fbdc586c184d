// What compose.ts hands to every page, for tests that render views without it.
export const frame = {
  stylesheet: '/assets/onramp.css',
  icon: '/assets/icon.svg',
  wide: undefined,
  helpUrl: undefined,
  languages: [],
}

export const sheets = { wide: '/assets/wide.css' }
