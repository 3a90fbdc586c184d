// Shares in per cent. Only all is "100%" and only none is "0%": what would round to them is shown as less, or more. Pure.
import type { Texts } from '../web/languages/texts.ts'

/** Shown where there is nothing to take a share of. */
export const NO_SHARE = '–'

export type Share = (part: number, whole: number) => string

/** As the reader's language writes them. Both numbers are counted over the same people. */
export function sharesIn(t: Texts): Share {
  const format = new Intl.NumberFormat(t.lang, { style: 'percent' })
  return (part, whole) => {
    if (whole <= 0) return NO_SHARE
    const exact = Math.min(1, Math.max(0, part / whole))
    const shown = Math.min(part < whole ? 0.99 : 1, Math.round(exact * 100) / 100)
    return part > 0 && shown === 0 ? t('admin.less', { share: format.format(0.01) }) : format.format(shown)
  }
}
