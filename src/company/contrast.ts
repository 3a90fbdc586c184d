// Derives readable colors (WCAG 2.2, 1.4.3) from one brand color: a palette of text, tint and hover shade. Pure.

const MIN_CONTRAST = 4.5

/** The background of light and dark pages. */
export const GROUND = { light: '#ffffff', dark: '#14161f' } as const

type Scheme = keyof typeof GROUND

const { light: WHITE, dark: NEAR_BLACK } = GROUND

function rgbOf(hex: string): [red: number, green: number, blue: number] {
  const digits = hex.length === 4 ? hex.slice(1).replaceAll(/./g, '$&$&') : hex.slice(1)
  const at = (start: number) => Number.parseInt(digits.slice(start, start + 2), 16)
  return [at(0), at(2), at(4)]
}

const hexOf = (rgb: readonly number[]): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance of WCAG 2.2, from 0 (black) to 1 (white). */
function luminance(hex: string): number {
  const [red, green, blue] = rgbOf(hex).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** @returns 1 (the same) to 21 (black on white) */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function mix(one: string, other: string, share: number): string {
  const to = rgbOf(other)
  return hexOf(rgbOf(one).map((part, index) => part + ((to[index] ?? 0) - part) * share))
}

/** @returns undefined if text and a button in this color are readable on the page */
export function contrastFault(hex: string, scheme: Scheme): string | undefined {
  const ratio = contrast(hex, GROUND[scheme])
  const roundedRatio = (Math.floor(ratio * 100) / 100).toFixed(2)
  return ratio >= MIN_CONTRAST
    ? undefined
    : `has a contrast of ${roundedRatio}:1 on ${GROUND[scheme]}, and text needs ${MIN_CONTRAST}:1: make it ${scheme === 'light' ? 'darker' : 'lighter'}`
}

/** The first mixture with `other`, from `start` on, that is readable on `ground`. */
function mixUntilReadable(hex: string, other: string, { start, ground }: { start: number; ground: string }) {
  for (let share = start; share < 1; share += 0.04) {
    const mixture = mix(hex, other, share)
    if (contrast(mixture, ground) >= MIN_CONTRAST) return mixture
  }
  return other
}

/** @param brand readable in this scheme; then every pair of the palette is */
function paletteOf(brand: string, scheme: Scheme) {
  const soft = mix(brand, GROUND[scheme], scheme === 'light' ? 0.9 : 0.84)
  const farEnd = scheme === 'light' ? NEAR_BLACK : WHITE
  return {
    brand: hexOf(rgbOf(brand)),
    /** Text on the brand color and on its hover shade. */
    onBrand: contrast(WHITE, brand) >= contrast(NEAR_BLACK, brand) ? WHITE : NEAR_BLACK,
    /** A tint for large areas; ordinary text and `strong` are readable on it. */
    soft,
    /** The hover shade, and the brand color of text on tinted or raised ground. */
    strong: mixUntilReadable(brand, farEnd, { start: 0.16, ground: soft }),
  }
}

/** Without a brand color for dark pages, the one for light pages is made just light enough. */
export const palettesOf = ({ light, dark }: { light: string; dark?: string | undefined }) => ({
  light: paletteOf(light, 'light'),
  dark: paletteOf(dark ?? mixUntilReadable(light, WHITE, { start: 0, ground: GROUND.dark }), 'dark'),
})
