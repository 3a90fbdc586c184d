// Foreign text on a terminal.
import { expect, it } from 'vitest'
import { printable } from '../packages/terminal/src/printable.ts'

// prettier-ignore
it.each([
  ['a colour', '\u001B[31mred', '?[31mred'],
  ['a C1 control', 'a\u009B2Jb', 'a?2Jb'],
  ['lines', 'a\r\nb\u2028c\u2029d\u0085e', 'a??b?c?d?e'],
  ['a change of direction', 'a\u202Eb\u2066c\u200Fd\u061Ce', 'a?b?c?d?e'],
  ['invisible characters', 'a\u200Bb\uFEFFc\u00ADd\u2060e\u{E0061}f', 'a?b?c?d?e?f'],
  ['a joiner that joins nothing', 'pay\u200Dpal \u200D\u{1F469} \u{1F469}\u200D', 'pay?pal ?\u{1F469} \u{1F469}?'],
])('foreign text is printed without %s', (_title, text, shown) => {
  expect(printable(text)).toBe(shown)
})

it.each([
  ['a family', '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}'],
  ['a profession with its colour', '\u{1F469}\u{1F3FD}\u200D\u{1F4BB}'],
  ['a flag of several characters', '\u{1F3F3}\uFE0F\u200D\u{1F308}'],
  ['Persian', 'می\u200Cخواهم'],
  ['Sinhala', 'ශ්\u200Dරී'],
  ['accents, wide letters', 'Zoë 東京 e\u0301'],
])('foreign text is printed with %s', (_title, text) => {
  expect(printable(text)).toBe(text)
})
