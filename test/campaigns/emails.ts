// Fixture: emails as `invite send` composes them, for any company, with additional languages.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfigData } from 'html-validate'
import { useFolder } from '../helpers/folder.ts'
import { createComposer, type Email } from '../../src/campaigns/mail/email.ts'
import { createEmailTemplates } from '../../src/campaigns/mail/templates.ts'
import { createStaticAsset, type StaticAsset } from '../../src/company/static-asset.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import { createLanguages } from '../../src/web/languages/languages.ts'
import { LANGUAGES_FOLDER } from '../../src/web/languages/catalogue.ts'

/** English, and the same words under other tags; German has a subject of its own. */
function createFolder(): string {
  const folder = useFolder()
  for (const tag of ['en', 'de', 'ar', 'pt-BR'])
    cpSync(join(LANGUAGES_FOLDER, 'en'), join(folder, tag), { recursive: true })
  const file = join(folder, 'de', 'email.json')
  const german = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  german['email.subject'] =
    '{count, plural, one {{app} mit {product} verbinden} other {# Apps mit {product} verbinden}}'
  writeFileSync(file, JSON.stringify(german))
  return folder
}

type Compose = ReturnType<typeof createComposer>

export type Written = Partial<Parameters<typeof createComposer>[0] & Parameters<Compose>[2]> & {
  apps?: string[]
  /** Apps of `apps` that replace others. */
  moved?: string[]
  lapsedAt?: number
  person?: Parameters<Compose>[0]
  file?: CompanyFile
  /** Images of the company file. */
  pictures?: Record<string, StaticAsset>
}

export const NOW = Date.UTC(2026, 10, 21, 12)

/** @returns a function that composes an email, with the languages of a folder that is removed after the file's tests */
export function useEmails() {
  const folder = createFolder()
  const render = createEmailTemplates()
  return ({
    apps = ['Slack', 'GitHub', 'Google Drive'],
    moved = [],
    lapsedAt,
    person = { email: 'ada@acme.example', name: 'Ada' },
    file = {},
    pictures = {},
    ...given
  }: Written = {}): Email => {
    const company = resolveCompany(file, new Map(Object.entries(pictures)))
    const compose = createComposer({
      invitations: { issue: () => 'TOKEN' },
      render,
      languages: createLanguages(company, folder, 'https://onramp.example'),
      company,
      from: { name: 'the Acme search team', address: 'search@acme.example' },
      publicUrl: 'https://search-setup.acme.example',
      campaign: 'test',
      datasources: [],
      days: 30,
      now: () => NOW,
      ...given,
    })
    const unconnected = apps.map((name, n) => ({
      instance: `${name.toLowerCase()}_${n + 1}`,
      name,
      lapsedAt,
      movedFrom: moved.includes(name) ? 'old_1' : undefined,
    }))
    return compose(person, unconnected, { reminder: 0, ...given })
  }
}

/** An image as loaded from the company file. */
export const picture = (ending: Parameters<typeof createStaticAsset>[1], content: Buffer): StaticAsset =>
  createStaticAsset('/assets/company/logo', ending, content)

/** The first bytes of a PNG, up to its size. */
export function png(width: number, height: number): Buffer {
  const content = Buffer.alloc(64)
  content.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  content.writeUInt32BE(width, 16)
  content.writeUInt32BE(height, 20)
  return content
}

/** The first bytes of a JPEG: an empty segment, then the frame with the size. */
export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]), frame, Buffer.alloc(8)])
}

export const ACME: CompanyFile = {
  name: 'Acme',
  product: 'Acme Search',
  color: { light: '#0b6e5f', dark: '#4fd1b5' },
  links: {
    help: { url: 'mailto:search@acme.example', label: 'Contact the search team' },
    home: { url: 'https://intranet.acme.example/', label: { en: 'Acme intranet', ar: 'شبكة Acme' } },
  },
}

/** Validates the HTML, except for constructs that mail programs need. */
export const EMAIL_RULES: ConfigData = {
  extends: ['html-validate:recommended'],
  rules: {
    // Mail programs drop the style element, or parts of it.
    'no-inline-style': 'off',
    // Outlook for Windows reads these attributes, and comments of its own.
    'no-deprecated-attr': 'off',
    'no-conditional-comment': 'off',
    // Older screen readers don't know the newer name, "none".
    'presentation-role-style': 'off',
  },
}
