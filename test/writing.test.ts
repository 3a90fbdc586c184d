// The words that CONTRIBUTING.md asks to avoid, in everything that people read.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8')
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()

const BANNED =
  /\b(everybody|somebody|nobody|whoever|unless told|mend|mends|mended|mending|set-up|by itself)\b|\bany more(?=[.,:;])/gi

/** What names a thing of others, and so has to stay. */
const QUOTED: Record<string, RegExp> = {
  'CONTRIBUTING.md': /^\|.*\|$/gm,
}

const found = (file: string) =>
  [
    ...read(file)
      .replaceAll(QUOTED[file] ?? /$^/g, '')
      .matchAll(BANNED),
  ].map(([word]) => word)

describe('what people read', () => {
  it.each(
    files(
      'languages/en/*.json',
      'views/**/*.eta',
      'views/assets/*.js',
      'src/**/*.ts',
      'packages/*/src/**/*.ts',
      '*.md',
      'docs/**/*.md',
      'packages/*/*.md',
      '.env.example',
    ),
  )('%s has none of the words to avoid', (file) => {
    expect(found(file)).toEqual([])
  })

  it('says app on pages, where the contract says datasource', () => {
    for (const file of files('languages/en/*.json').filter((one) => !one.endsWith('deprecations.json'))) {
      const texts = Object.values(JSON.parse(read(file)) as Record<string, string>).join('\n')
      expect(texts.replaceAll(/\{\w+/g, ''), file).not.toMatch(/datasource|administrator|e-mail/i)
    }
  })

  it('calls an email an email', () => {
    for (const file of files('languages/en/*.json', 'views/**/*.eta', '*.md', 'docs/**/*.md').filter(
      (one) => one !== 'CONTRIBUTING.md',
    ))
      expect(read(file).match(/\bmails\b/gi), file).toBeNull()
  })

  it('has no space before a percent sign', () => {
    for (const file of files('languages/en/*.json', 'README.md', 'docs/*.md'))
      expect(read(file), file).not.toMatch(/\d [%]/)
  })
})
