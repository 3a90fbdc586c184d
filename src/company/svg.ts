// What an SVG may hold that a company hands in: drawings only. It is served so that it can do nothing (web/assets.ts);
// this tells an admin early, and refuses rather too much than too little. Pure.

/** A part of the drawing itself, or a picture in it. */
const OWN = String.raw`[\s"']*(?:#|data:image\/(?:png|jpeg|webp);base64,)`

/** Each with what is read after "the drawing"; … stands for what was found. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/<!(?!--|\[CDATA\[)/, 'has a document type or entities (<!DOCTYPE>, <!ENTITY>)'],
  [/<\?(?!xml\s)/i, 'has a processing instruction (<?…?>)'],
  [
    /<((?:[\w.-]+:)?(?:script|foreignobject|i?frame|embed|object|audio|video|canvas|handler|listener|link|meta|base|form|input|button|textarea))\b/i,
    'holds <…>, which no drawing needs',
  ],
  [/[\s"'/](on\w+)\s*=/i, 'has an event handler (…)'],
  [
    new RegExp(String.raw`\b(href|src|srcset|base)\s*=(?!${OWN})`, 'i'),
    'refers to something outside of it (…)',
  ],
  [new RegExp(String.raw`(url|image-set|src)\((?!${OWN})`, 'i'), 'refers to something outside of it (…)'],
  [/attributeName\s*=[\s"']*(on\w+|[\w:]*href)/i, 'animates a reference or an event handler (…)'],
  [/@import/i, 'imports a style sheet (@import)'],
  [/\\/, 'has a backslash, which can hide an address in its style'],
]

/** What a browser reads where text has `&#106;` and the like. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|quot|apos);/gi, (_whole, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? 34)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
  })

/** @returns why it is refused, to be read after "the drawing"; undefined for one that is only a drawing */
export function svgFault(text: string): string | undefined {
  const plain = decoded(text)
  for (const [pattern, words] of FAULTS) {
    const match = pattern.exec(plain)
    if (match !== null) return words.replace('…', match[1] ?? '…')
  }
  const [, root = '', attributes = ''] = /<([\w:.-]+)([^<>]*)>/.exec(text) ?? []
  if (root.replace(/^.*:/, '') !== 'svg') return `begins with <${root}>, not with <svg>`
  return attributes.includes('http://www.w3.org/2000/svg')
    ? undefined
    : 'lacks xmlns="http://www.w3.org/2000/svg", without which no browser shows it'
}
