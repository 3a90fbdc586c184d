// Runs before and after `npm pack`. Node can't run TypeScript in node_modules, so a tarball has dist/: src/ without its
// types, and declarations for the package's exports.
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

/** The original package.json, while the tarball's replaces it. */
const SAVED_MANIFEST = '.package.json'
const MANIFEST = 'package.json'
const CLONE_ONLY = ['private', 'workspaces', 'prettier', 'devDependencies', 'optionalDependencies']

const DECLARATIONS =
  '--ignoreConfig --declaration --emitDeclarationOnly --rootDir src --outDir dist --module nodenext --target es2024 --strict --skipLibCheck --types node --allowImportingTsExtensions'

const mapValues = <T>(entries: Record<string, string>, to: (path: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, to(path)]))

const toDist = (path: string, ending = '.js') => path.replace('src/', 'dist/').replace(/\.ts$/, ending)

const rewrite = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')))

const importingJs = (text: string) =>
  text.replaceAll(/((?:from|import)\s*\(?\s*['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js')

function build({ exports = {} }: Manifest): void {
  cpSync('src', 'dist', { recursive: true })
  cpSync(join(import.meta.dirname, '../LICENSE'), 'dist/LICENSE')
  for (const file of globSync('dist/**/*.ts')) {
    rewrite(file, (text) => stripTypeScriptTypes(text))
    renameSync(file, toDist(file))
  }
  const entries = Object.values(exports).flatMap((path) => globSync(path))
  if (entries.length > 0) execFileSync('tsc', [...entries, ...DECLARATIONS.split(' ')], { stdio: 'inherit' })
  for (const file of globSync('dist/**/*.{js,mjs,d.ts}')) rewrite(file, importingJs)
}

function toPacked(manifest: Manifest): Record<string, unknown> {
  const { version, bin, exports, scripts, dependencies, peerDependencies, ...others } = manifest
  // `*` marks another package of this repository, which a tarball requires in the same release.
  const ranges = (all: Manifest['dependencies'] = {}) =>
    mapValues(all, (range) => (range === '*' ? version : range))
  const keptMembers = Object.entries(others).filter(([name]) => !CLONE_ONLY.includes(name))
  const typesAndDefault = (path: string) => ({ types: toDist(path, '.d.ts'), default: toDist(path) })
  return {
    ...Object.fromEntries(keptMembers),
    // After an interrupted run, the next one restores the original file.
    scripts: { prepack: scripts['prepack'], postpack: scripts['postpack'] },
    version,
    bin: bin && mapValues(bin, toDist),
    dependencies: ranges(dependencies),
    peerDependencies: ranges(peerDependencies),
    ...(exports && { exports: mapValues(exports, typesAndDefault) }),
  }
}

if (existsSync(SAVED_MANIFEST)) renameSync(SAVED_MANIFEST, MANIFEST)
rmSync('dist', { recursive: true, force: true })
if (process.env['npm_lifecycle_event'] === 'prepack') {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  build(manifest)
  cpSync(MANIFEST, SAVED_MANIFEST)
  writeFileSync(MANIFEST, `${JSON.stringify(toPacked(manifest), null, 2)}\n`)
}
