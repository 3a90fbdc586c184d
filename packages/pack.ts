// Before and after `npm pack` in a package's folder. Node reads no TypeScript below node_modules, so a tarball holds dist/:
// src/ without its types, line for line, and declarations for what the package exports. The sources run as they are.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

type Manifest = Record<string, unknown> & {
  version: string
  scripts: Record<string, string>
  bin?: Record<string, string>
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** The package.json of the sources, while the tarball's is in its place. */
const KEPT = '.package.json'
const MANIFEST = 'package.json'
/** What only a clone needs. */
const OF_THE_CLONE = [
  'private',
  'scripts',
  'workspaces',
  'prettier',
  'devDependencies',
  'optionalDependencies',
]

const DECLARATIONS =
  '--ignoreConfig --declaration --emitDeclarationOnly --rootDir src --outDir dist --module nodenext --target es2024 --strict --skipLibCheck --types node --allowImportingTsExtensions'

const mapped = <T>(entries: Record<string, string>, to: (path: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, to(path)]))

const built = (path: string, ending = '.js') => path.replace('src/', 'dist/').replace(/\.ts$/, ending)

const rewrite = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')))

const importingJs = (text: string) =>
  text.replaceAll(/((?:from|import)\s*\(?\s*['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js')

function build({ exports = {} }: Manifest): void {
  cpSync('src', 'dist', { recursive: true })
  cpSync(join(import.meta.dirname, '../LICENSE'), 'dist/LICENSE')
  for (const file of globSync('dist/**/*.ts')) {
    rewrite(file, (text) => stripTypeScriptTypes(text))
    renameSync(file, built(file))
  }
  const entries = Object.values(exports).flatMap((path) => globSync(path))
  if (entries.length > 0) execFileSync('tsc', [...entries, ...DECLARATIONS.split(' ')], { stdio: 'inherit' })
  for (const file of globSync('dist/**/*.{js,mjs,d.ts}')) rewrite(file, importingJs)
}

function packed(manifest: Manifest): Record<string, unknown> {
  const { version, bin, exports, scripts, dependencies, peerDependencies, ...others } = manifest
  // Packages of this repository belong together: the sources take each other's as they are, a tarball its own release's.
  const ranges = (all: Manifest['dependencies'] = {}) =>
    mapped(all, (range) => (range === '*' ? version : range))
  const kept = Object.entries(others).filter(([name]) => !OF_THE_CLONE.includes(name))
  const both = (path: string) => ({ types: built(path, '.d.ts'), default: built(path) })
  return {
    ...Object.fromEntries(kept),
    // A run that is interrupted leaves this file behind, and the next one puts the other back.
    scripts: { prepack: scripts['prepack'], postpack: scripts['postpack'] },
    version,
    bin: bin && mapped(bin, built),
    dependencies: ranges(dependencies),
    peerDependencies: ranges(peerDependencies),
    ...(exports && { exports: mapped(exports, both) }),
  }
}

if (existsSync(KEPT)) renameSync(KEPT, MANIFEST)
rmSync('dist', { recursive: true, force: true })
if (process.env['npm_lifecycle_event'] === 'prepack') {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  build(manifest)
  cpSync(MANIFEST, KEPT)
  writeFileSync(MANIFEST, `${JSON.stringify(packed(manifest), null, 2)}\n`)
}
