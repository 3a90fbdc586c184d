// `npm run icons` writes src/company/marks.json from the icon library; test/company/app-marks.test.ts compares.
import { writeFileSync } from 'node:fs'
import * as library from 'simple-icons'
import type { SimpleIcon } from 'simple-icons'
import { appSlugs } from '../../src/company/app-slugs.ts'
import type { Mark } from '../../src/company/app-marks.ts'

export const MARKS_FILE = new URL('../../src/company/marks.json', import.meta.url).pathname

/** What the file should hold. @throws for a mark that the library has no longer: its app gets a letter then */
export function marksDocument(): string {
  const all = Object.values(library) as SimpleIcon[]
  const icons = new Map(all.map((icon) => [icon.slug, icon]))
  const marks: Record<string, Mark> = {}
  for (const slug of [...new Set(appSlugs.values())].sort()) {
    const icon = icons.get(slug)
    if (icon === undefined) throw new Error(`the icon library has no ${slug}: remove it from app-slugs.ts`)
    marks[slug] = { title: icon.title, color: `#${icon.hex.toLowerCase()}`, drawing: icon.path }
  }
  return `${JSON.stringify(marks, undefined, 2)}\n`
}

if (import.meta.main) writeFileSync(MARKS_FILE, marksDocument())
