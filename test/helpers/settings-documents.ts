// `npm run settings` writes docs/settings.md, README.md's table of required settings, .env.example and
// company.schema.json; test/conventions.test.ts compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { companySchema } from '../../src/company/schema.ts'
import { settingDefinitions } from '../../src/settings/settings.ts'
import type { Setting } from '../../src/settings/values.ts'

const fileOf = (name: string) => new URL(`../../${name}`, import.meta.url).pathname
const TABLE = /(?<=<!-- settings -->).*(?=<!-- \/settings -->)/s
const DETAILS = /(?<=<!-- details -->).*(?=<!-- \/details -->)/s

function row({ name, required, default: standard, meaning, secret }: Setting): string {
  const value = required ? 'required' : standard === undefined ? 'none' : `\`${standard}\``
  return `| \`${name}\` | ${value} | ${meaning}${secret ? ' (secret)' : ''} |`
}

const line = ({ name, required, default: standard = '', meaning, details }: Setting) =>
  `\n# ${meaning}\n${details ? `# ${details}\n` : ''}${required ? `${name}=` : `#${name}=${standard}`}\n`

const detail = ({ name, details }: Setting) => (details ? [`- \`${name}\`: ${details}`] : [])

/** The content of the documents, before Prettier, by file name. */
export function settingsDocuments(): Record<string, string> {
  const withTable = (file: string, shown: readonly Setting[]) => {
    const table = ['| name | default | meaning |', '| --- | --- | --- |', ...shown.map(row)].join('\n')
    return readFileSync(fileOf(file), 'utf8').replace(TABLE, () => `\n\n${table}\n\n`)
  }
  return {
    'README.md': withTable(
      'README.md',
      settingDefinitions.filter(({ required }) => required),
    ),
    'docs/settings.md': withTable('docs/settings.md', settingDefinitions).replace(
      DETAILS,
      () => `\n\n${settingDefinitions.flatMap(detail).join('\n')}\n\n`,
    ),
    '.env.example': `# Every setting of onramp. Required ones are not commented out. Each secret may also come as NAME_FILE, a path.\n${settingDefinitions.map(line).join('')}`,
    'company.schema.json': JSON.stringify(z.toJSONSchema(companySchema(), { io: 'input' })),
  }
}

if (import.meta.main)
  for (const [name, text] of Object.entries(settingsDocuments())) writeFileSync(fileOf(name), text)
