// The rules of docs/architecture.md that a machine can check.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingDefinitions } from '../src/settings/settings.ts'
import { settingsDocuments } from './helpers/settings-documents.ts'

const root = new URL('..', import.meta.url).pathname
const read = (file: string) => readFileSync(join(root, file), 'utf8')

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file).split(sep).join('/'))
}

const product = filesBelow('src', '.ts')
const packages = filesBelow('packages', '.ts').filter((file) => !file.includes('node_modules/'))
const sources = [...product, ...packages]

/** The file that a package of ours exports under a name: `@onramp/terminal/shell`. */
function exportedAs(name: string): string {
  const [, folder = '', path = ''] = /^@onramp\/([^/]+)\/?(.*)$/.exec(name) ?? []
  const { exports } = JSON.parse(read(`packages/${folder}/package.json`)) as {
    exports: Record<string, string>
  }
  const last = path.split('/').at(-1) ?? ''
  const file = exports[path === '' ? '.' : `./${path}`] ?? exports['./*']?.replace('*', last)
  return join('packages', folder, file ?? `nothing is exported as ${name}`)
}

/** The files of ours that a source imports, types too, as paths from the root. */
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from|import|resolve)\s*\(?\s*'((?:\.|@onramp\/)[^']+)'/g)].map(
    ([, path = '']) =>
      (path.startsWith('@') ? exportedAs(path) : normalize(join(dirname(file), path))).split(sep).join('/'),
  )

/** `src/sign-in/registration/registration.ts` is in the folder sign-in; a package counts as a folder. */
const folderOf = (file: string) =>
  /^src\/([^/]+)|^(packages\/[^/]+|languages)/.exec(file)?.slice(1).find(Boolean) ?? ''

/** The folders that a folder may import from, besides itself. */
const nouns = [
  'client-api',
  'http',
  'safe-text.ts',
  'records',
  'trace',
  'problem.ts',
  'omit-undefined.ts',
  'version.ts',
  'with-timeout.ts',
  'turns.ts',
  'single-flight.ts',
]
const web = [...nouns, 'session', 'web', 'languages', 'company']
const feature = [...web, 'sign-in']
const allowed: Record<string, string[]> = {
  'packages/deprecations': ['packages/terminal'],
  'packages/terminal': [],
  'packages/sandbox': [],
  'problem.ts': [],
  'omit-undefined.ts': [],
  http: ['trace', 'with-timeout.ts', 'safe-text.ts', 'problem.ts'],
  'safe-text.ts': [],
  'version.ts': [],
  'with-timeout.ts': [],
  'turns.ts': ['problem.ts'],
  'single-flight.ts': [],
  'packages/pack.ts': [],
  'require-node.mjs': [],
  // The current request, and the trace headers of outbound requests.
  trace: ['with-timeout.ts'],
  settings: ['http'],
  records: ['problem.ts', 'trace', 'with-timeout.ts'],
  'client-api': ['http', 'problem.ts', 'omit-undefined.ts', 'safe-text.ts', 'trace'],
  session: nouns,
  // Faults of the company file are reported like those of settings.
  company: ['settings', 'problem.ts', 'http', 'packages/terminal'],
  web: [...nouns, 'session', 'languages', 'company'],
  // The client registration is read from the settings.
  'sign-in': [...web, 'settings'],
  // A page records the service's response for the person.
  onboarding: [...feature, 'people'],
  search: feature,
  deprecations: [...web, 'packages/deprecations'],
  // Invited people and their progress, shared by invitations, campaigns and the page for admins.
  people: [...nouns, 'company'],
  invites: [...feature, 'people'],
  campaigns: [...feature, 'settings', 'people', 'invites', 'packages/terminal'],
  // Emails to admins contain the figures of the admin pages.
  admin: [...feature, 'people', 'campaigns'],
  // Events about people, for other systems.
  webhooks: [...nouns, 'people', 'settings'],
  'app.ts': [
    ...feature,
    'settings',
    'people',
    'onboarding',
    'search',
    'deprecations',
    'invites',
    'admin',
    'packages/deprecations',
  ],
  doctor: [
    'settings',
    ...nouns,
    'session',
    'sign-in',
    'onboarding',
    'people',
    'campaigns',
    'web',
    'company',
    'webhooks',
    'packages/terminal',
  ],
  'compose.ts': ['*'],
  'server.ts': [
    'compose.ts',
    'settings',
    'web',
    'records',
    'trace',
    'problem.ts',
    'require-node.mjs',
    'version.ts',
  ],
  cli: ['*'],
}

describe('the direction of imports', () => {
  it('every folder has a rule', () => {
    expect([...new Set(sources.map(folderOf))].filter((folder) => allowed[folder] === undefined)).toEqual([])
  })

  it.each(Object.entries(allowed))('%s imports only from allowed folders', (folder, may) => {
    const wrong = sources
      .filter((file) => folderOf(file) === folder)
      .flatMap((file) => importsOf(file).map((path) => ({ file, path })))
      .filter(({ path }) => folderOf(path) !== folder && !may.includes('*') && !may.includes(folderOf(path)))
    expect(wrong).toEqual([])
  })

  it('pure decisions import nothing of ours', () => {
    for (const file of [
      'src/onboarding/walk.ts',
      'src/onboarding/app-state.ts',
      'src/client-api/app-status.ts',
      'src/client-api/credentials.ts',
      'src/client-api/consent-url.ts',
      'src/problem.ts',
      'packages/deprecations/src/schedule/schedule.ts',
    ])
      expect(importsOf(file), file).toEqual([])
  })

  it('only the command line imports the sandbox', () => {
    const knowing = sources.filter((file) => read(file).includes("'@onramp/sandbox'"))
    expect(knowing.filter((file) => folderOf(file) !== 'cli')).toEqual([])
  })

  it('imports have no cycles, not even of types', () => {
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '))
      if (path.includes(file) || done.has(file)) return
      for (const next of importsOf(file)) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of sources.filter((one) => importsOf(one).length > 0)) visit(file, [])
    expect(circles).toEqual([])
  })

  it('subfolders of sign-in import in one direction, and never from the files above them', () => {
    const order = ['server', 'registration', 'transaction', 'sessions', 'sign-out', 'sign-in']
    const rank = (file: string) => order.indexOf(basename(dirname(file)))
    const files = product.filter((file) => folderOf(file) === 'sign-in')
    expect(files.filter((file) => rank(file) < 0)).toEqual([])
    const backward = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => folderOf(path) === 'sign-in' && rank(path) > rank(file))
        .map((path) => `${file} > ${path}`),
    )
    expect(backward).toEqual([])
  })
})

describe('the layout', () => {
  const isLonger = (file: string, than: number) => read(file).trimEnd().split('\n').length > than

  it('sources have at most 400 lines, and tests at most 500', () => {
    expect(sources.filter((file) => isLonger(file, 400))).toEqual([])
    expect(filesBelow('test', '.ts').filter((file) => isLonger(file, 500))).toEqual([])
  })

  it('folders have at most 20 sources', () => {
    const counts = Map.groupBy(sources, (file) => dirname(file))
    expect([...counts].filter(([, files]) => files.length > 20).map(([folder]) => folder)).toEqual([])
  })

  it('folders are named by features, never by layers, and have no barrels', () => {
    const layers =
      /(^|\/)(controllers|services|middleware|utils|helpers|common|shared|types|constants)\/|\/index\.ts$/
    expect(sources.filter((file) => layers.test(file))).toEqual([])
  })

  it('every view is rendered, and every rendered view exists', () => {
    const code = sources.map(read).join('\n')
    const views = filesBelow('views', '.eta').map((file) => relative('views', file).replace('.eta', ''))
    const included = views.flatMap((view) =>
      [...read(`views/${view}.eta`).matchAll(/'(\.?)\/([\w/-]+)'/g)].map(([, isBeside, name = '']) =>
        isBeside ? join(dirname(view), name) : name,
      ),
    )
    for (const view of views) expect(code.includes(`'${view}'`) || included.includes(view), view).toBe(true)
    for (const [, view] of code.matchAll(/view: '([^']+)'/g)) expect(views).toContain(view)
  })

  it('no source reads NODE_ENV, and views print raw HTML only from other views', () => {
    expect(sources.filter((file) => read(file).includes('NODE_ENV'))).toEqual([])
    const raw = filesBelow('views', '.eta').flatMap((file) =>
      [...read(file).matchAll(/<%~\s*([^%]*)%>/g)].map((match) => match[1]?.trim() ?? ''),
    )
    const rendered = new Set(['it.body', 'it.languages'])
    expect(raw.filter((code) => !rendered.has(code) && !code.startsWith('include('))).toEqual([])
  })
})

describe('the docs', () => {
  /** The anchor that GitHub derives from a heading. */
  const slugOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
  const slugsIn = (file: string) =>
    [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => slugOf(text))

  it('the docs list every limit of client-api/responses.ts', () => {
    const bounds = [...read('src/client-api/responses.ts').matchAll(/\bMAX_\w+ = ([\d_]+)/g)]
    expect(bounds.length).toBeGreaterThan(5)
    for (const [, bound = ''] of bounds)
      expect(read('docs/operations.md')).toContain(Number(bound.replace('_', '')).toLocaleString('en-US'))
  })

  it('links in the docs lead to existing files and headings', () => {
    const docs = [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      ...filesBelow('docs', '.md'),
      'packages/sandbox/README.md',
      'packages/deprecations/README.md',
    ]
    const links = docs.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#\s]*)#?([^)\s]*)/g)]
        .filter(([, target = '']) => !/^[a-z]+:/.test(target))
        .map(([, target = '', heading = '']) => ({
          file,
          to: target === '' ? file : join(dirname(file), target),
          heading,
        })),
    )
    const isBroken = ({ to, heading }: (typeof links)[number]) =>
      !existsSync(join(root, to)) || (heading !== '' && to.endsWith('.md') && !slugsIn(to).includes(heading))

    expect(links.filter(isBroken)).toEqual([])
  })
})

describe('the workflows', () => {
  const workflows = filesBelow('.github/workflows', '.yml').map((file) => read(file))

  it('workflows name existing files', () => {
    const named = workflows.flatMap((text) =>
      [...text.matchAll(/(?<![\w./@-])(?:\.ci|deploy|docs|packages|src|test)\/[\w./*-]*/g)].map(
        ([path]) => path,
      ),
    )
    expect(named).toContain('test/packages.journey.test.ts')
    expect(named.filter((path) => !existsSync(join(root, path.replace(/\*.*/, ''))))).toEqual([])
  })

  it('workflows pin actions by digest, with the version that Renovate compares', () => {
    const uses = workflows.flatMap((text) =>
      [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action),
    )
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })
})

describe('the settings', () => {
  const documents = settingsDocuments()

  it.each(['README.md', 'docs/settings.md', '.env.example', 'company.schema.json'])(
    '%s has the settings as `npm run settings` writes them',
    (file) => {
      // Prettier changes only spaces and the dashes below a table's head.
      const plain = (text = '') => text.replaceAll(/[\s-]+/g, '')
      expect(plain(read(file))).toBe(plain(documents[file]))
    },
  )

  it('a meaning fits a cell of a table', () => {
    expect(settingDefinitions.filter(({ meaning }) => meaning.length > 120)).toEqual([])
  })

  it('every variable of the compose file is a setting', () => {
    const names = [...read('docker-compose.yml').matchAll(/^\s{6}([A-Z_]+):/gm)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(settingDefinitions.map((setting) => setting.name)).toContain(name)
  })
})

it('a test in `npm test` can’t start a process', () => {
  expect(() => spawn(process.execPath)).toThrow('.journey.test.ts')
})
