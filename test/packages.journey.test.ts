// The packages as people install them: packed from a copy of this repository, installed into an empty folder, and run.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { request } from 'undici'
import { beforeAll, expect, it } from 'vitest'
import { spawnOne, statusOf, until } from './helpers/processes.ts'
import { freePort } from './helpers/running.ts'
import { useFolder } from './helpers/folder.ts'

type Ranges = Record<string, string>
type Manifest = Record<string, unknown> & {
  version: string
  files: string[]
  dependencies?: Ranges
  peerDependencies?: Ranges
}

const root = new URL('..', import.meta.url).pathname
const folder = useFolder()
const copy = join(folder, 'copy')
const installFolder = join(folder, 'installed')
const names = ['onramp', '@onramp/deprecations', '@onramp/sandbox', '@onramp/terminal']
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const manifestOf = (...path: string[]) => JSON.parse(read(...path, 'package.json')) as Manifest
const { version, files } = manifestOf(root)

/** With the Node of this test on the PATH. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` }

type Ran = { code: number; stdout: string; stderr: string }

const run = (command: string, args: readonly string[], cwd = installFolder): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
const binOf = (name: string) => join(installFolder, 'node_modules/.bin', name)
const onramp = (...args: string[]) => run(binOf('onramp'), args)

async function succeed(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, cwd)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

let tarballs: string[]
beforeAll(async () => {
  const ours = ['.npmrc', 'package.json', 'README.md', 'LICENSE', 'src', 'packages', ...files]
  for (const name of ours.filter((one) => existsSync(join(root, one)) && one !== 'dist'))
    cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // A leftover of an interrupted run.
  const sandbox = join(copy, 'packages/sandbox')
  const { scripts } = manifestOf(sandbox)
  renameSync(join(sandbox, 'package.json'), join(sandbox, '.package.json'))
  writeFileSync(join(sandbox, 'package.json'), JSON.stringify({ name: '@onramp/sandbox', version, scripts }))

  mkdirSync(installFolder)
  const packed = await succeed('npm', ['pack', '--silent', '--workspaces', '--include-workspace-root'], copy)
  tarballs = packed.trim().split('\n')
  writeFileSync(join(installFolder, 'package.json'), '{"name":"people","version":"1.0.0","type":"module"}')
  await succeed('npm', ['install', '--prefer-offline', ...tarballs.map((name) => join(copy, name))])
}, 180_000)

/** @param words printed output to wait for */
async function startDemo(words: string) {
  const port = await freePort()
  const settings = { PORT: `${port}`, SANDBOX_PORT: `${await freePort()}` }
  const demo = spawnOne(binOf('onramp'), ['demo'], { ...env, ...settings })
  await until(() => demo.hasEnded() || demo.output().includes(words), `the demo to print ${words}`, 50_000)
  return { demo, port }
}

it('npm pack makes a tarball of each package', () => {
  expect(tarballs).toEqual(names.map((name) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`))
})

it.each(['', 'packages/deprecations', 'packages/sandbox', 'packages/terminal'])(
  'npm pack leaves the folder "%s" as it was',
  (path) => {
    expect(read(copy, path, 'package.json')).toBe(read(root, path, 'package.json'))
    for (const file of ['dist', '.package.json']) expect(existsSync(join(copy, path, file))).toBe(false)
  },
)

it('the package has the documents for operators, and their links lead to documents in it', () => {
  const docs = join(installFolder, 'node_modules/onramp/docs')
  const all = readdirSync(docs)
  for (const name of ['runbook.md', 'security.md', 'openapi.yaml']) expect(all).toContain(name)
  for (const name of ['architecture.md', 'testing.md', 'decisions']) expect(all).not.toContain(name)
  const broken = all.flatMap((name) =>
    [...read(docs, name).matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^\.\.\/(packages|\.github)\//.test(target))
      .filter((target) => !existsSync(join(docs, target)))
      .map((target) => `${name}: ${target}`),
  )
  expect(broken).toEqual([])
})

it.each(names)('%s has JavaScript, and nothing that only a clone needs', (name) => {
  const path = join(installFolder, 'node_modules', name)
  const all = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('node_modules'),
  )
  expect(all.filter((file) => /(?<!\.d)\.ts$|^src|^test|(^|\/)\.env$/.test(file))).toEqual([])
  expect(all).toContain('dist/LICENSE')
  expect(all).toContain('README.md')
  const manifest = manifestOf(path)
  expect(manifest).toMatchObject({ name, version, license: 'MIT', engines: { node: '>=24.3' } })
  for (const member of ['private', 'workspaces', 'devDependencies', 'optionalDependencies'])
    expect(manifest[member]).toBeUndefined()
  expect(Object.values({ ...manifest.dependencies, ...manifest.peerDependencies })).not.toContain('*')
})

it('the installed onramp prints its version, and so does its smaller command', async () => {
  const printed = (await succeed(binOf('onramp'), ['--version'])).split('+')
  expect(printed).toEqual([version, expect.stringMatching(/^[\da-f]{8}\n$/)])
  expect(await succeed(binOf('onramp-deprecations'), ['--version'])).toBe(`${version}\n`)
})

it('the doctor of the installed onramp examines an empty configuration', async () => {
  const { code, stdout } = await onramp('doctor', '--offline')
  expect(code).toBe(1)
  expect(stdout).toContain('fail  PUBLIC_URL is required.')
})

it('the installed demo runs, with its pages, its pictures and the made-up company', async () => {
  const { demo, port } = await startDemo('Stop')

  try {
    expect(demo.output()).toContain('npx --no -- onramp invite send')
    expect(
      demo
        .output()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([])
    const page = await request(`http://localhost:${port}/signed-out`, { headers: { accept: 'text/html' } })
    const html = await page.body.text()
    expect(html).toContain('Acme')
    const [, sheet = ''] = /href="(\/[^"]+\.css[^"]*)"/.exec(html) ?? []
    expect(await statusOf(`http://localhost:${port}${sheet}`)).toBe(200)
    expect(await statusOf(`http://localhost:${port}/readyz`)).toBe(200)
  } finally {
    expect(await demo.end('SIGTERM')).toMatchObject({ code: 0 })
  }
})

it('the installed demo ends on Ctrl-C, also while it is starting', async () => {
  const { demo } = await startDemo('Sandbox:')
  expect(await demo.end('SIGINT')).toMatchObject({ code: 0 })
})

it('the installed demo explains that the sandbox is missing', async () => {
  const sandbox = join(installFolder, 'node_modules/@onramp/sandbox')
  renameSync(sandbox, `${sandbox}-away`)
  const { code, stderr } = await onramp('demo')
  renameSync(`${sandbox}-away`, sandbox)
  expect(code).toBe(1)
  expect(stderr).toContain('the sandbox is not installed here: install @onramp/sandbox beside onramp')
})

it('npm lists what is in the installed onramp', async () => {
  const sbom = await succeed('npm', ['sbom', '--omit=dev', '--sbom-format', 'cyclonedx'])
  const { components } = JSON.parse(sbom) as { components: { name: string }[] }
  const found = components.map(({ name }) => name)
  expect(found).toEqual(expect.arrayContaining([...names, 'express', 'openid-client']))
  expect(found).not.toContain('vitest')
})

it('both commands of the checker list the same schedule', async () => {
  const listed = await succeed(binOf('onramp-deprecations'), ['list', '--json'])
  expect(JSON.parse(listed)).not.toEqual([])
  expect(await succeed(binOf('onramp'), ['deprecations', 'list', '--json'])).toBe(listed)
})

it('the example in the README of the checker runs', async () => {
  const [, program = ''] = /```js\n([^]*?)```/.exec(read(root, 'packages/deprecations/README.md')) ?? []
  writeFileSync(join(installFolder, 'example.js'), program)
  const { code, stdout, stderr } = await run('node', ['example.js'])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('entries') })
  expect(stderr).toContain('trackingToken')
})

it('the compiler knows the types of the checker', async () => {
  const program = `import { createWatch, publishedSchedule, watchDeprecations } from '@onramp/deprecations'
    export const fetched: typeof fetch = watchDeprecations(fetch, publishedSchedule, { log: () => {} })
    export const watch = createWatch(publishedSchedule, { count: ({ item }) => item satisfies string })
    // @ts-expect-error A schedule is a list of entries.
    createWatch('2027-01-15', {})`
  writeFileSync(join(installFolder, 'typed.ts'), program)
  rmSync(join(installFolder, 'node_modules/@types'), { recursive: true, force: true })
  symlinkSync(join(root, 'node_modules/@types'), join(installFolder, 'node_modules/@types'))
  const words =
    '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node typed.ts'
  expect(await run(join(root, 'node_modules/.bin/tsc'), words.split(' '))).toMatchObject({
    code: 0,
    stdout: '',
  })
})
