// What an SVG may hold that a company hands in: drawings only. Our pages show it as an image, where scripts don't run, but
// a person may open its address. Whatever this does not understand is refused. Pure.

/** A tag, or something else that begins with `<`; what is between them is text. */
const MARKUP =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<![^>]*>|<\/\s*[\w:.-]+\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/gy
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const FORBIDDEN = new Set(
  'script foreignobject iframe frame embed object audio video canvas handler listener link meta base form input button textarea'.split(
    ' ',
  ),
)
const ANIMATIONS = new Set(['animate', 'set', 'animatetransform', 'animatemotion', 'animatecolor'])
/** What makes a browser fetch or follow something. */
const REFERENCES = new Set('href src srcset data action formaction poster background base'.split(' '))
const OWN = /^\s*(?:#|data:image\/(?:png|jpeg|webp);base64,)/i

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** What a browser reads where text has `&#106;` and the like. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined
    if (code === undefined) return NAMED[name] ?? whole
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
  })

const localName = (name: string) => name.replace(/^.*:/, '').toLowerCase()

/** Style, and what looks like it, must not reach outside; a backslash can spell `url` so that no search finds it. */
function styleFault(text: string): string | undefined {
  if (/@import/i.test(text)) return 'imports a style sheet (@import)'
  const outside = [...text.matchAll(/(?:url|image|image-set|src)\(\s*["']?\s*([^)]*)/gi)]
  if (outside.some(([, target = '']) => !OWN.test(target))) return 'refers to something outside of it (url)'
  return text.includes('\\') ? 'has a backslash, which can hide an address in its style' : undefined
}

function attributeFault(element: string, name: string, value: string): string | undefined {
  const attribute = localName(name)
  if (attribute.startsWith('on')) return `has an event handler (${name})`
  if (REFERENCES.has(attribute) && !OWN.test(value)) return `refers to something outside of it (${name})`
  if (ANIMATIONS.has(element) && attribute === 'attributename' && /^(?:on|(?:.*:)?href)/i.test(value.trim()))
    return `animates a reference or an event handler (${value.trim()})`
  return name.startsWith('xmlns') ? undefined : styleFault(value)
}

function tagFault(name: string, attributes: string): string | undefined {
  const element = localName(name)
  if (FORBIDDEN.has(element)) return `holds <${name}>, which no drawing needs`
  for (const [, attribute = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
    const fault = attributeFault(element, attribute, decoded(double ?? single ?? ''))
    if (fault !== undefined) return fault
  }
  return undefined
}

function markupFault(markup: string, name: string | undefined, attributes: string): string | undefined {
  if (name !== undefined) return tagFault(name, attributes)
  if (/^<!(?!--|\[CDATA\[)/.test(markup)) return 'has a document type or entities (<!DOCTYPE>, <!ENTITY>)'
  if (/^<\?(?!xml\s)/i.test(markup)) return 'has a processing instruction (<?…?>)'
  return markup.startsWith('<![CDATA[') ? styleFault(markup) : undefined
}

const rootFault = (name: string, attributes: string): string | undefined => {
  if (localName(name) !== 'svg') return `begins with <${name}>, not with <svg>`
  return attributes.includes('http://www.w3.org/2000/svg')
    ? undefined
    : 'lacks xmlns="http://www.w3.org/2000/svg", without which no browser shows it'
}

/** @returns why it is refused, to be read after "the drawing"; undefined for one that is only a drawing */
export function svgFault(text: string): string | undefined {
  let end = 0
  let hasRoot = false
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', end)) {
    MARKUP.lastIndex = start
    const [markup, name, attributes = ''] = MARKUP.exec(text) ?? []
    if (markup === undefined) return 'is not well-formed XML'
    const between = styleFault(decoded(text.slice(end, start)))
    const root = hasRoot || name === undefined ? undefined : rootFault(name, attributes)
    const fault = between ?? root ?? markupFault(markup, name, attributes)
    if (fault !== undefined) return fault
    hasRoot ||= name !== undefined
    end = start + markup.length
  }
  return hasRoot ? styleFault(decoded(text.slice(end))) : 'has no <svg> in it'
}
