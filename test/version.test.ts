// The version names the snapshot of an installation: in a clone, a package and an image.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { VERSION, versionIn } from '../src/version.ts'

const [ONE, OTHER] = ['1a2b3c4d', '5e6f7a8b'].map((start) => start + '0'.repeat(32)) as [string, string]
let folder: string
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const version = () => versionIn(pathToFileURL(`${folder}/`))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp version-'))
  write('package.json', '{"version":"0.2.0"}')
  write('src/app.ts', 'one')
})
afterEach(() => rmSync(folder, { recursive: true }))

it.each(['src/app.ts', 'dist/cli/main.js', 'views/page.eta', 'languages/en/a.json'])(
  'a change of %s changes the digest, and equal files have the same one',
  (file) => {
    write(file, 'one')
    const before = version()
    expect(before).toMatch(/^0\.2\.0\+[\da-f]{8}$/)
    expect(version()).toBe(before)
    write(file, 'other')
    expect(version()).not.toBe(before)
  },
)

it.each<[string, Record<string, string>, string]>([
  ['on a branch', { HEAD: 'ref: refs/heads/a+b\n', 'refs/heads/a+b': `${ONE}\n` }, '1a2b3c4d'],
  ['of no branch', { HEAD: `${ONE}\n` }, '1a2b3c4d'],
  [
    'on a branch that git has packed',
    {
      HEAD: 'ref: refs/heads/a\n',
      'packed-refs': `# pack-refs\n${OTHER} refs/heads/b/a\n${ONE} refs/heads/a\n`,
    },
    '1a2b3c4d',
  ],
])('a clone %s names its commit', (_title, files, commit) => {
  for (const [name, text] of Object.entries(files)) write(`.git/${name}`, text)
  expect(version()).toMatch(new RegExp(`^0\\.2\\.0\\+${commit}\\.[\\da-f]{8}$`))
})

it('a clone without a commit, and a worktree, have only the digest', () => {
  write('.git/HEAD', 'ref: refs/heads/main\n')
  expect(version()).toMatch(/^0\.2\.0\+[\da-f]{8}$/)
  rmSync(join(folder, '.git'), { recursive: true })
  write('.git', 'gitdir: /elsewhere\n')
  expect(version()).toMatch(/^0\.2\.0\+[\da-f]{8}$/)
})

it('npm can compare the version', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+\+([\da-f]{8}\.)?[\da-f]{8}$/)
})
