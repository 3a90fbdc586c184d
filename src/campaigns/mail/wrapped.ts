// Breaks a paragraph of plain text into lines, as mail programs did for decades: some still show longer ones cut off.

/** Characters; RFC 5322 2.1.1 asks for 78 at most. */
const MAX_LINE = 72

/** At spaces only: a language without any is left to the mail program. */
export function wrapped(paragraph: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > MAX_LINE) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
