// Fixture: a folder with a company file and images, and files outside of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readCompany } from '../../src/company/read-company.ts'
import type { SupportedTexts } from '../../src/company/schema.ts'

export const svg = (inside = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inside}<path d="M0 0h8v8H0z" fill="#0b6e5f"/></svg>`

export const png = (bytes = 64) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(bytes)])

export type CompanyFolder = ReturnType<typeof companyFolder>

export function companyFolder() {
  const around = mkdtempSync(join(tmpdir(), 'onramp-company-'))
  const folder = join(around, 'company')
  const file = join(folder, 'company.yaml')
  mkdirSync(folder)
  writeFileSync(join(around, 'outside.svg'), svg())
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }
  return {
    /** The path of the company file, which may not exist yet. */
    file,
    write,
    /** Writes the company file and reads it. */
    read: (yaml: string, catalogue?: SupportedTexts) => readCompany(write('company.yaml', yaml), catalogue),
    [Symbol.dispose]: () => rmSync(around, { recursive: true }),
  }
}
