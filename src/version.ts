// Which onramp this is, and how people call it here. package.json is one folder up from the sources, and from what
// `npm pack` makes of them.
import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const VERSION = manifest.version

/** A clone runs its sources, a package what was made of them. */
const IS_CLONE = import.meta.url.endsWith('.ts')

/** What a command begins with: `${COMMAND} doctor`. Without `--no`, npx offers to fetch what others call onramp. */
export const COMMAND = IS_CLONE ? 'npm run onramp --' : 'npx --no -- onramp'
