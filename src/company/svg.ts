// What an SVG may hold that a company hands in: drawings only. Our pages show it as an image, where scripts don't run, but
// a person may open its address. What isn't well-formed XML in UTF-8 is refused. Pure.
import { parseXml, XmlElement, XmlProcessingInstruction, type XmlNode } from '@rgrove/parse-xml'

const FORBIDDEN =
  /^(?:script|foreignobject|i?frame|embed|object|audio|video|canvas|handler|listener|link|meta|base|form|input|button|textarea)$/
/** What makes a browser fetch or follow something. */
const REFERENCES = /^(?:href|src|srcset|data|action|formaction|poster|background|base)$/
const OWN = /^\s*(?:#|data:image\/(?:png|jpeg|webp);base64,)/i

const localName = (name: string) => name.replace(/^.*:/, '').toLowerCase()

/** Style, and what looks like it, must not reach outside; a backslash can spell `url` so that no search finds it. */
function styleFault(text: string): string | undefined {
  if (/@import/i.test(text)) return 'imports a style sheet (@import)'
  const outside = [...text.matchAll(/(?:url|image|image-set|src)\(\s*["']?\s*([^)]*)/gi)]
  if (outside.some(([, target = '']) => !OWN.test(target))) return 'refers to something outside of it (url)'
  return text.includes('\\') ? 'has a backslash, which can hide an address in its style' : undefined
}

function attributeFault(name: string, value: string): string | undefined {
  const attribute = localName(name)
  if (attribute.startsWith('on')) return `has an event handler (${name})`
  if (REFERENCES.test(attribute) && !OWN.test(value)) return `refers to something outside of it (${name})`
  if (attribute === 'attributename' && /^(?:on|(?:.*:)?href)/i.test(value.trim()))
    return `animates a reference or an event handler (${value.trim()})`
  return name.startsWith('xmlns') ? undefined : styleFault(value)
}

function* faultsIn(node: XmlNode): Generator<string | undefined> {
  if (node instanceof XmlProcessingInstruction) yield 'has a processing instruction (<?…?>)'
  if (!(node instanceof XmlElement)) return
  if (FORBIDDEN.test(localName(node.name))) yield `holds <${node.name}>, which no drawing needs`
  for (const [name, value] of Object.entries(node.attributes)) yield attributeFault(name, value)
  for (const child of node.children) yield* faultsIn(child)
}

/** @returns why it is refused, to be read after "the drawing"; undefined for one that is only a drawing */
export function svgFault(text: string): string | undefined {
  if (/<!(?:doctype|entity)/i.test(text)) return 'has a document type or entities (<!DOCTYPE>, <!ENTITY>)'
  if (/^\s*<\?xml[^>]+encoding\s*=(?!\s*["']utf-8["'])/i.test(text)) return 'is not in UTF-8'
  try {
    const { root, children } = parseXml(text)
    if (root === null || localName(root.name) !== 'svg') return `begins with <${root?.name}>, not with <svg>`
    if (!Object.values(root.attributes).includes('http://www.w3.org/2000/svg'))
      return 'lacks xmlns="http://www.w3.org/2000/svg", without which no browser shows it'
    const faults = children.flatMap((node) => [...faultsIn(node)])
    return faults.find((fault) => fault !== undefined) ?? styleFault(root.text)
  } catch {
    return 'is not well-formed XML'
  }
}
