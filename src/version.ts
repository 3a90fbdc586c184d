// The version, and the command name to show in messages. package.json is one folder up, in a clone and in a package.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'

/** The sources or their build, and the files that they read. */
const FILES = '{src,dist,views,languages,packages/deprecations/src}/**/*.*'

/** `0.2.0+COMMIT.DIGEST`; only a clone has the commit. @param root the folder of package.json */
export function versionIn(root: URL): string {
  const readRootFile = (path: string) => {
    const file = new URL(path, root)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  const { version } = JSON.parse(readRootFile('package.json')) as { version: string }
  const digest = createHash('sha256')
  for (const file of globSync(FILES, { cwd: root }).sort()) digest.update(`${file}\n${readRootFile(file)}`)
  // Doesn't run git, which may be missing, or reject another user's folder.
  const head = readRootFile('.git/HEAD').trim().replace('ref: ', '')
  const refs = readRootFile('.git/packed-refs').split('\n')
  const lines =
    head === '' ? [] : [head, readRootFile(`.git/${head}`), ...refs.filter((ref) => ref.endsWith(` ${head}`))]
  const commit = lines.map((line) => /^[\da-f]{8}/.exec(line)?.[0]).find((hash) => hash !== undefined)
  return `${version}+${commit === undefined ? '' : `${commit}.`}${digest.digest('hex').slice(0, 8)}`
}

export const VERSION = versionIn(new URL('..', import.meta.url))

const IS_CLONE = import.meta.url.endsWith('.ts')

/** `${COMMAND} doctor`. Without `--no`, npx offers to download another package of this name. */
export const COMMAND = IS_CLONE ? 'npm run onramp --' : 'npx --no -- onramp'
