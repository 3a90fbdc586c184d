// Shares in per cent. Only all is "100%" and only none is "0%": what would round to them is shown as less, or more. Pure.
import type { Texts } from '../web/languages/texts.ts'

/** Shown where there is nothing to take a share of. */
export const NO_SHARE = '–'

export type Share = (part: number, whole: number) => string

type Write = { percent: (fraction: number) => string; less: (share: string) => string }

/** Both numbers are counted over the same people. */
function written(part: number, whole: number, { percent, less }: Write): string {
  if (whole <= 0) return NO_SHARE
  const exact = Math.min(1, Math.max(0, part / whole))
  const shown = Math.min(part < whole ? 0.99 : 1, Math.round(exact * 100) / 100)
  return part > 0 && shown === 0 ? less(percent(0.01)) : percent(shown)
}

const english: Write = {
  percent: (fraction) => `${Math.round(fraction * 100)}%`,
  less: (share) => `<${share}`,
}

/** `87%`, in English: for the command line. A dash where the whole is nothing. */
export const shareOf: Share = (part, whole) => written(part, whole, english)

/** The same as the reader's language writes it. */
export function sharesIn(t: Texts): Share {
  const format = new Intl.NumberFormat(t.lang, { style: 'percent' })
  const write: Write = {
    percent: (fraction) => format.format(fraction),
    less: (share) => t('admin.less', { share }),
  }
  return (part, whole) => written(part, whole, write)
}
