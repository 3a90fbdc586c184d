// The version, which tells snapshots of a release apart, and the command name to show in messages. package.json is one
// folder up from the sources, and from what `npm pack` makes of them.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'

/** The sources, or what was made of them, and what they read. */
const FILES = '{src,dist,views,languages,packages/deprecations/src}/**/*.*'

/**
 * `0.2.0+COMMIT.DIGEST`: the commit in a clone, the digest of the files also in a package or an image.
 * @param root the folder of package.json
 */
export function versionIn(root: URL): string {
  const read = (path: string) => {
    const file = new URL(path, root)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const digest = createHash('sha256')
  for (const file of globSync(FILES, { cwd: root }).sort()) digest.update(`${file}\n${read(file)}`)
  // Read without git, which may be missing, or refuse the folder of another user.
  const head = read('.git/HEAD').trim().replace('ref: ', '')
  const refs = read('.git/packed-refs').split('\n')
  const lines =
    head === '' ? [] : [head, read(`.git/${head}`), ...refs.filter((ref) => ref.endsWith(` ${head}`))]
  const commit = lines.map((line) => /^[\da-f]{8}/.exec(line)?.[0]).find((found) => found !== undefined)
  return `${version}+${commit === undefined ? '' : `${commit}.`}${digest.digest('hex').slice(0, 8)}`
}

export const VERSION = versionIn(new URL('..', import.meta.url))

/** A clone runs its sources, a package what was made of them. */
const IS_CLONE = import.meta.url.endsWith('.ts')

/** What a command begins with: `${COMMAND} doctor`. Without `--no`, npx offers to fetch what others call onramp. */
export const COMMAND = IS_CLONE ? 'npm run onramp --' : 'npx --no -- onramp'
