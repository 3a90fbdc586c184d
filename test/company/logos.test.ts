// Pictures of a company: what is refused, and why.
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readLogo } from '../../src/company/logos.ts'
import { svgFault } from '../../src/company/svg.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'
import { companyFolder, png, svg, type CompanyFolder } from './company-folder.ts'

const folderOf = ({ file }: CompanyFolder) => dirname(file)

const logoOf = (name: string, content: string | Buffer) => {
  using folder = companyFolder()
  folder.write(name, content)
  return readLogo(folderOf(folder), name)
}

describe('a picture', () => {
  it.each([
    ['an SVG', svg(), 'image/svg+xml', 'svg'],
    [
      'an SVG with an XML declaration',
      `<?xml version="1.0" encoding="UTF-8"?>\n${svg()}`,
      'image/svg+xml',
      'svg',
    ],
    ['a PNG', png(), 'image/png', 'png'],
    ['a JPEG', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg', 'jpg'],
    ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp', 'webp'],
  ])('that is %s is taken for what it holds, whatever its name ends with', (_what, content, type, ending) => {
    expect(logoOf('My logo (1).gif', content)).toMatchObject({
      logo: { type, path: expect.stringMatching(`^/assets/company/My-logo-1-\\.[0-9a-f]{12}\\.${ending}$`) },
    })
  })

  it('has another address when its content changes', () => {
    const [one, other] = [logoOf('logo.svg', svg()), logoOf('logo.svg', svg('<g/>'))]
    expect('logo' in one && 'logo' in other && one.logo.path !== other.logo.path).toBe(true)
  })

  it.each([
    ['a GIF', Buffer.from('GIF89a'), /no SVG, PNG, WebP or JPEG/],
    ['a page', '<!doctype html><html></html>', /document type/],
    ['a page without a document type', '<html></html>', /not with <svg>/],
    ['empty', '', /is empty/],
    ['larger than 256 KB', png(256 * 1024), /257 KB, more than 256 KB/],
    ['an SVG in UTF-16', Buffer.from(svg(), 'utf16le'), /no SVG, PNG/],
  ])('that is %s is refused', (_what, content, fault) => {
    expect(logoOf('logo.svg', content)).toEqual({ fault: expect.stringMatching(fault) })
  })

  it.each(['../outside.svg', 'inner/../../outside.svg', 'link.svg', 'linked/outside.svg', 'near.svg'])(
    'that is outside of the folder is refused as %s',
    (name) => {
      using folder = companyFolder()
      const around = dirname(folderOf(folder))
      folder.write('inner/logo.svg', svg())
      symlinkSync(join(around, 'outside.svg'), join(folderOf(folder), 'link.svg'))
      symlinkSync(around, join(folderOf(folder), 'linked'))
      // A folder beside it whose name begins with its name.
      const near = folder.write('../company-of-others/logo.svg', svg())
      symlinkSync(near, join(folderOf(folder), 'near.svg'))
      expect(readLogo(folderOf(folder), name)).toEqual({ fault: expect.stringContaining('is outside of') })
    },
  )

  it.each(['/etc/passwd', 'https://cdn.example/logo.svg', 'file:///etc/passwd', '..\\logo.svg', 'a\0.svg'])(
    'is a path from the folder, not %j',
    (name) => {
      using folder = companyFolder()
      expect(readLogo(folderOf(folder), name)).toEqual({
        fault: expect.stringContaining('must be a path from'),
      })
    },
  )

  it('is a file, not a folder', () => {
    using folder = companyFolder()
    folder.write('inner/logo.svg', svg())
    expect(readLogo(folderOf(folder), 'inner')).toEqual({ fault: expect.stringContaining('is not a file') })
  })

  it('may be behind a link within the folder, as a mounted ConfigMap has it', () => {
    using folder = companyFolder()
    folder.write('..2026/logo.svg', svg())
    symlinkSync('..2026', join(folderOf(folder), '..data'))
    symlinkSync('..data/logo.svg', join(folderOf(folder), 'logo.svg'))
    expect(readLogo(folderOf(folder), 'logo.svg')).toHaveProperty('logo')
  })
})

describe('a drawing', () => {
  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script of another namespace prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['an event handler', svg('<g onload="alert(1)"/>')],
    ['an event handler on its root', svg().replace('<svg', "<svg onload = 'alert(1)'")],
    ['HTML in a foreignObject', svg('<foreignObject><p/></foreignObject>')],
    ['an external image', svg('<image href="https://evil.example/x.png"/>')],
    ['an image that is an SVG again', svg('<image href="data:image/svg+xml;base64,AAAA"/>')],
    ['an external use', svg('<use xlink:href="other.svg#a"/>')],
    ['a link that runs a script', svg('<a href="javascript:alert(1)"><g/></a>')],
    ['a script address that is written with entities', svg('<a href="&#106;avascript:alert(1)"><g/></a>')],
    ['an external style sheet', svg('<style>@import "https://evil.example/x.css";</style>')],
    ['an external address in a style', svg('<style>path{fill:url(https://evil.example/#a)}</style>')],
    ['one in a CDATA section', svg('<style><![CDATA[path{fill:url("//evil.example")}]]></style>')],
    ['one in an attribute', svg('<g style="fill:url(//evil.example/#a)"/>')],
    ['one with an escaped name', svg('<g style="fill:u\\72l(//evil.example/#a)"/>')],
    ['one that is written with entities', svg('<g fill="&#x75;rl(//evil.example/#a)"/>')],
    ['an animation that sets a link', svg('<a><set attributeName="href" to="javascript:alert(1)"/></a>')],
    ['a document type with an entity', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`],
    ['a style sheet of its own', `<?xml-stylesheet href="x.css"?>${svg()}`],
    ['a script of an unusual prefix', svg('<é:script xmlns:é="http://www.w3.org/2000/svg"/>')],
    ['an animation of a link with a prefix', svg('<a><set attributeName="a-b:href" to="https://x"/></a>')],
    ['another encoding', `<?xml version="1.0" encoding="ISO-2022-JP"?>${svg('<scr\u001b(Bipt/>')}`],
    ['a style in two pieces', svg('<style>@imp<![CDATA[ort "x.css";]]></style>')],
    ['a page behind it', `<!-- ${svg()} --><html xmlns="http://www.w3.org/1999/xhtml"/>`],
    ['a tag that is not closed', svg('<g fill="red')],
    ['an attribute without quotes', svg('<g onload=alert(1)>')],
    ['no name space', '<svg viewBox="0 0 8 8"><path d="M0 0h8"/></svg>'],
  ])('with %s is refused', (_what, drawing) => {
    expect(svgFault(drawing)).toEqual(expect.any(String))
  })

  it.each([
    [
      'a gradient and a use of its own',
      svg('<linearGradient id="a"/><path fill="url(#a)"/><use href="#a"/>'),
    ],
    ['a style of its own', svg('<style>path { fill: url("#a") }</style>')],
    ['a picture inside', svg('<image href="data:image/png;base64,AAAA"/>')],
    ['a title with special characters', svg('<title>Acme &amp; Sons, since 1900</title>')],
    ['an author before it', `<!-- Ada <ada@acme.example> -->${svg()}`],
    ['a comment', svg('<!-- <script> -->')],
    [
      'what editors leave in it',
      svg('<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title/></metadata>'),
    ],
    ['an animation of its own', svg('<circle><animate attributeName="opacity" values="0;1"/></circle>')],
  ])('with %s is taken', (_what, drawing) => {
    expect(svgFault(drawing)).toBeUndefined()
  })

  it('is judged in time that grows with its size', () => {
    expect(cpuTimeOf(() => void svgFault(`<${'a'.repeat(200_000)}`))).toBeLessThan(1000)
    for (const part of [' ', '<', '<g', '<!--', '&#1', 'url(', '<g a="', '<g a=""'])
      expect(cpuTimeOf(() => void svgFault(svg(part.repeat(40_000))))).toBeLessThan(1000)
  })
})
