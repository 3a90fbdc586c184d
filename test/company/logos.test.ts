// Images of the company file: accepted formats, and refusals.
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { readLogo } from '../../src/company/logos.ts'
import { companyFolder, png, svg, type CompanyFolder } from './company-folder.ts'

const folderOf = ({ file }: CompanyFolder) => dirname(file)

const logoOf = (name: string, content: string | Buffer) => {
  using folder = companyFolder()
  folder.write(name, content)
  return readLogo(folderOf(folder), name)
}

it.each([
  ['an SVG', svg(), 'image/svg+xml', 'svg'],
  [
    'an SVG with a document type, entities and an author',
    `<?xml version="1.0"?><!-- <ada@acme.example> --><!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`,
    'image/svg+xml',
    'svg',
  ],
  ['an SVG with a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'svg'],
  ['a PNG', png(), 'image/png', 'png'],
  ['a JPEG', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg', 'jpg'],
  ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp', 'webp'],
])('an image that is %s is recognized by its content, whatever its name', (_title, content, type, ending) => {
  expect(logoOf('My logo (1).gif', content)).toMatchObject({
    logo: { type, path: expect.stringMatching(`^/assets/company/My-logo-1-\\.[0-9a-f]{12}\\.${ending}$`) },
  })
})

it('an image has another URL when its content changes', () => {
  const [one, other] = [logoOf('logo.svg', svg()), logoOf('logo.svg', svg('<g/>'))]
  expect('logo' in one && 'logo' in other && one.logo.path !== other.logo.path).toBe(true)
})

it.each([
  ['a GIF', Buffer.from('GIF89a'), /isn't an SVG, PNG, WebP or JPEG/],
  ['a page that holds an SVG', `<!doctype html><html>${svg()}</html>`, /isn't an SVG, PNG/],
  ['a page after an SVG in a comment', `<!-- ${svg()} --><html>${svg()}</html>`, /isn't an SVG, PNG/],
  ['a text', svg().slice(1), /isn't an SVG, PNG/],
  ['another XML', '<svgs xmlns="http://www.w3.org/2000/svg"/>', /isn't an SVG, PNG/],
  ['an SVG that no browser shows', '<svg viewBox="0 0 8 8"/>', /lacks xmlns="http/],
  ['empty', '', /is empty/],
  ['larger than 256 KB', png(256 * 1024), /257 KB, more than 256 KB/],
  ['an SVG in UTF-16', Buffer.from(svg(), 'utf16le'), /isn't an SVG, PNG/],
])('an image that is %s is refused', (_title, content, fault) => {
  expect(logoOf('logo.svg', content)).toEqual({ fault: expect.stringMatching(fault) })
})

it.each(['../outside.svg', 'inner/../../outside.svg', 'link.svg', 'linked/outside.svg', 'near.svg'])(
  'an image outside of the folder is refused: %s',
  (name) => {
    using folder = companyFolder()
    const around = dirname(folderOf(folder))
    folder.write('inner/logo.svg', svg())
    symlinkSync(join(around, 'outside.svg'), join(folderOf(folder), 'link.svg'))
    symlinkSync(around, join(folderOf(folder), 'linked'))
    // A neighboring folder whose name begins with the same letters.
    const near = folder.write('../company-of-others/logo.svg', svg())
    symlinkSync(near, join(folderOf(folder), 'near.svg'))
    expect(readLogo(folderOf(folder), name)).toEqual({ fault: expect.stringContaining('is outside of') })
  },
)

it.each(['/etc/passwd', 'https://cdn.example/logo.svg', 'file:///etc/passwd', '..\\logo.svg', 'a\0.svg'])(
  'an image is a relative path in the folder, not %j',
  (name) => {
    using folder = companyFolder()
    expect(readLogo(folderOf(folder), name)).toEqual({
      fault: expect.stringContaining('must be a path from'),
    })
  },
)

it('a logo may be a symbolic link within its folder', () => {
  using folder = companyFolder()
  folder.write('..2026/logo.svg', svg())
  symlinkSync('..2026', join(folderOf(folder), '..data'))
  symlinkSync('..data/logo.svg', join(folderOf(folder), 'logo.svg'))
  expect(readLogo(folderOf(folder), '..data')).toEqual({ fault: expect.stringContaining('is not a file') })
  expect(readLogo(folderOf(folder), 'logo.svg')).toHaveProperty('logo')
})
