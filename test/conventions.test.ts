// The rules of the house that a machine can check: they are tests, so that they stay true.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settings, type Setting } from '../src/settings/settings.ts'

const root = new URL('..', import.meta.url).pathname
const read = (file: string) => readFileSync(join(root, file), 'utf8')

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file).split(sep).join('/'))
}

const sources = filesBelow('src', '.ts')

/** What a source imports of ours, as paths from the root. */
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    normalize(join(dirname(file), match[1] ?? ''))
      .split(sep)
      .join('/'),
  )

const roomOf = (file: string) => /^src\/([^/]+)/.exec(file)?.[1] ?? ''

/** Which rooms a room may import from, besides itself: the arrows of the house. */
const nouns = ['client-api', 'records', 'problem.ts']
const allowed: Record<string, string[]> = {
  'problem.ts': [],
  'printable.ts': [],
  'setting-values.ts': [],
  'setting-definitions.ts': ['setting-values.ts'],
  'settings.ts': ['setting-definitions.ts'],
  records: ['problem.ts'],
  'client-api': ['problem.ts'],
  sandbox: [],
  session: nouns,
  web: [...nouns, 'session'],
  'sign-in': [...nouns, 'session', 'web'],
  onboarding: [...nouns, 'session', 'web', 'sign-in'],
  search: [...nouns, 'session', 'web', 'sign-in'],
  invites: [...nouns, 'printable.ts', 'session', 'web', 'sign-in'],
  deprecations: [...nouns, 'session', 'web', 'printable.ts'],
  'app.ts': ['web'],
}

describe('the direction of imports', () => {
  it.each(sources.filter((file) => allowed[roomOf(file)] !== undefined))(
    '%s imports only what its room may',
    (file) => {
      const room = roomOf(file)
      const others = importsOf(file)
        .map(roomOf)
        .filter((other) => other !== room)
      expect(others.filter((other) => !allowed[room]?.includes(other))).toEqual([])
    },
  )

  it('leaves the pure decisions without imports of ours', () => {
    for (const file of [
      'src/onboarding/walk.ts',
      'src/onboarding/standing.ts',
      'src/client-api/credentials.ts',
      'src/client-api/departure.ts',
      'src/client-api/schedule.ts',
      'src/problem.ts',
    ])
      expect(importsOf(file), file).toEqual([])
  })

  it('lets only the command line know the sandbox', () => {
    const others = sources.filter((file) => !file.startsWith('src/sandbox/') && !file.startsWith('src/cli/'))
    expect(others.filter((file) => importsOf(file).some((path) => path.startsWith('src/sandbox/')))).toEqual(
      [],
    )
  })
})

describe('the layout', () => {
  it('has no file that is too long to read at once', () => {
    const long = [...sources, ...filesBelow('test', '.ts')].filter(
      (file) => read(file).split('\n').length > 260,
    )
    expect(long).toEqual([])
  })

  it('has folders for what the product does, none for layers, and no barrels', () => {
    const layers =
      /(^|\/)(controllers|services|middleware|utils|helpers|common|shared|types|constants)\/|\/index\.ts$/
    expect(sources.filter((file) => layers.test(file))).toEqual([])
  })

  it('renders every view, and has every view that is rendered', () => {
    const code = sources.map(read).join('\n')
    const views = filesBelow('views', '.eta').map((file) => relative('views', file).replace('.eta', ''))
    const included = filesBelow('views', '.eta').map(read).join('\n')
    for (const view of views)
      expect(code.includes(`'${view}'`) || included.includes(`'/${view}'`), view).toBe(true)
    for (const [, view] of code.matchAll(/view: '([^']+)'/g)) expect(views).toContain(view)
  })

  it('opens every source with what it is', () => {
    const silent = sources.filter((file) => !/^(#!.*\n)?\/\//.test(read(file)))
    expect(silent).toEqual([])
  })

  it('has no switch on NODE_ENV and prints nothing raw but the body of a page', () => {
    expect(sources.filter((file) => read(file).includes('NODE_ENV'))).toEqual([])
    const raw = filesBelow('views', '.eta').flatMap((file) =>
      [...read(file).matchAll(/<%~\s*([^%]*)%>/g)].map((match) => match[1]?.trim() ?? ''),
    )
    expect(raw.filter((code) => code !== 'it.body' && !code.startsWith('include('))).toEqual([])
  })
})

describe('the settings', () => {
  const row = (setting: Setting) => {
    const value = setting.required
      ? 'required'
      : setting.default === undefined
        ? 'none'
        : `\`${setting.default}\``
    return `| \`${setting.name}\` | ${value} | ${setting.meaning}${setting.secret ? ' (secret)' : ''} |`
  }

  it('are all in the README, as they are', () => {
    const table = read('README.md').split('<!-- settings -->')[1]?.split('<!-- /settings -->')[0] ?? ''
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    // Prettier pads the columns; the words are what counts.
    const plain = (line: string) => line.replaceAll(/\s+/g, ' ').trim()
    expect(rows.map(plain)).toEqual(settings.map(row).map(plain))
  })

  it('are all in .env.example, required ones open and the others commented out', () => {
    const lines = read('.env.example')
      .split('\n')
      .filter((line) => /^#?[A-Z_]+=/.test(line))
    expect(lines).toEqual(
      settings.map((setting) =>
        setting.required ? `${setting.name}=` : `#${setting.name}=${setting.default ?? ''}`,
      ),
    )
  })

  it('that the compose file sets are settings', () => {
    const names = [...read('docker-compose.yml').matchAll(/^\s{6}([A-Z_]+):/gm)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(settings.map((setting) => setting.name)).toContain(name)
  })
})
