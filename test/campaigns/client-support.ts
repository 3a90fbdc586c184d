// Which mail programs read what an email of ours is made of. From what caniemail.com collects, for the programs that most
// companies have: Gmail in a browser and as an app, Outlook for Windows (Word draws it), Outlook.com, Apple Mail.

export const CLIENTS = ['gmail', 'outlookWindows', 'outlookCom', 'appleMail'] as const

type Support = 'yes' | 'part' | 'no'

export type Row = Record<(typeof CLIENTS)[number], Support> & {
  /** What people see where it is not read, or read in part. Required there. */
  otherwise?: string
}

/** @param all in the order of CLIENTS, as `y`, `p` and `n` */
function row(all: string, otherwise?: string): Row {
  const words = { y: 'yes', p: 'part', n: 'no' } as const
  const [gmail, outlookWindows, outlookCom, appleMail] = all
    .split('')
    .map((letter) => words[letter as keyof typeof words]) as [Support, Support, Support, Support]
  return { gmail, outlookWindows, outlookCom, appleMail, ...(otherwise !== undefined && { otherwise }) }
}

const square = 'corners are square'
const word = 'the other programs ignore it: it corrects Outlook for Windows'
const wide = 'the card has a fixed width, from the table that only Outlook for Windows sees'
const once = 'mso-hide hides the preheader there'

export const PROPERTIES: Record<string, Row> = {
  'background-color': row('yyyy'),
  border: row('yyyy'),
  'border-color': row('yyyy'),
  'border-radius': row('ynyy', square),
  'border-top': row('yyyy'),
  color: row('yyyy'),
  'color-scheme': row(
    'npny',
    'the meta element says the same; else the program inverts colours or stays light',
  ),
  display: row('ypyy', `block and none only: ${once}; the button keeps the padding of its cell`),
  'font-family': row('yyyy'),
  'font-size': row('yyyy'),
  'font-weight': row('yyyy'),
  height: row('ypyy', 'the attribute says the same'),
  'line-height': row('yyyy'),
  margin: row('ypyy', 'used on paragraphs and headings only, where Word reads it'),
  'max-height': row('ynyy', once),
  'max-width': row('ynyy', wide),
  'mso-hide': row('nynn', word),
  'mso-padding-alt': row('nynn', word),
  overflow: row('ynyy', once),
  padding: row('ypyy', 'Word reads it on cells; that of the link is the cell’s there (mso-padding-alt)'),
  'padding-left': row('ypyy', 'used for narrow windows only'),
  'padding-right': row('ypyy', 'used for narrow windows only'),
  'supported-color-schemes': row('nnnp', 'older versions of Apple Mail read it; color-scheme says the same'),
  'text-align': row('yyyy'),
  'text-decoration': row('yyyy'),
  width: row('ypyy', 'the attribute says the same'),
  'word-break': row('ppyy', 'a word that is longer than a line makes the card wider'),
}

const light = 'the email stays light, or the program inverts its colours'

export const AT_RULES: Record<string, Row> = {
  '@media (max-width: 480px)': row(
    'pnyy',
    'the card is as wide as the window all the same; the button is not',
  ),
  '@media (prefers-color-scheme: dark)': row('nnny', light),
}

export const SELECTORS: Record<string, Row> = {
  class: row('yyyy'),
  ':root': row('npny', 'the meta element says the same'),
  attribute: row('nnyn', `they are for Outlook.com, which adds them in dark mode; elsewhere ${light}`),
}

export const ELEMENTS: Record<string, Row> = {
  a: row('yyyy'),
  article: row('ypyp', 'its content stays, unnamed'),
  bdi: row('pppy', 'the text stays; a name that runs the other way may be misplaced'),
  body: row('pyyy', 'Gmail makes a div of it; the tables inside have its colours'),
  div: row('yyyy'),
  h1: row('yyyy'),
  head: row('yyyy'),
  html: row('pyyy', 'Gmail drops lang and dir; the article and the card have them too'),
  img: row('yyyy'),
  meta: row('pppy', 'they are hints only'),
  p: row('yyyy'),
  style: row('yyyy'),
  table: row('yyyy'),
  tbody: row('yyyy'),
  td: row('yyyy'),
  title: row('yyyy'),
  tr: row('yyyy'),
}
