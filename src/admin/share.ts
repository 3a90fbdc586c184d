// A part of a whole in per cent, for people. Pure.

/** What is shown where there is nothing to take a share of. */
export const NO_SHARE = '–'

/**
 * `87 %`, with a space that does not break; a dash where the whole is nothing. "100 %" is everybody and "0 %" is none at
 * all: what only rounds to them is said to be less, or more. Both are counted over the same people.
 */
export function shareOf(part: number, whole: number): string {
  if (whole <= 0) return NO_SHARE
  const percent = Math.min(100, Math.max(0, (part / whole) * 100))
  const shown = Math.min(part < whole ? 99 : 100, Math.round(percent))
  return part > 0 && shown === 0 ? '<\u00A01\u00A0%' : `${shown}\u00A0%`
}
