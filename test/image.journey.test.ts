// The images and the compose file: their commands, files and settings; without Docker.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { settingDefinitions } from '../src/settings/settings.ts'
import { BARE_ENV, spawnOne, startArguments, statusOf, until } from './helpers/processes.ts'
import { freePort } from './helpers/running.ts'
import { useFolder } from './helpers/folder.ts'

const root = new URL('..', import.meta.url).pathname
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Locked = { link?: true; resolved?: string; dependencies?: Record<string, string> }

/** The dependencies of onramp at the top level, transitive ones included. */
function productionPackages(packages: Record<string, Locked>): Set<string> {
  const names = new Set<string>()
  const add = (path: string) => {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      const found = packages[`node_modules/${name}`]
      if (found === undefined || names.has(name)) continue
      names.add(name)
      add(found.link === true ? (found.resolved ?? '') : `node_modules/${name}`)
    }
  }
  add('')
  return names
}

/** The lines of a stage of the Dockerfile, and the files that it copies from this repository. */
function stageOf(name: string) {
  const stage = read('Dockerfile')
    .split(/^FROM \$\{BASE\} AS /m)
    .find((one) => one.startsWith(`${name}\n`))
  const copied = [...(stage ?? '').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, of = '']) =>
    of.split(' '),
  )
  return { text: stage ?? '', copied }
}

/** Node's options in the image's command. */
const commandOfImage = (): string[] => {
  const [, command = '[]'] = /^CMD (\[.+\])$/m.exec(stageOf('onramp').text) ?? []
  return (JSON.parse(command) as string[]).slice(1)
}

/** A folder like the image: the copied files, and the packages of `npm ci --omit=dev --omit=optional`. */
const image = useFolder()
beforeAll(() => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  for (const folder of ['package.json', ...stageOf('onramp').copied])
    cpSync(join(root, folder), join(image, folder), { recursive: true })
  for (const name of productionPackages(packages)) {
    const path = `node_modules/${name}`
    const { link, resolved = '' } = packages[path] ?? {}
    mkdirSync(dirname(join(image, path)), { recursive: true })
    symlinkSync(join(link === true ? image : root, link === true ? resolved : path), join(image, path))
  }
})

type Ran = { code: number; stdout: string; stderr: string }

const onramp = (...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const words = ['--disable-warning=ExperimentalWarning', 'src/cli/main.ts', ...args]
    execFile(process.execPath, words, { cwd: image, env: BARE_ENV }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

it('the image offers the commands that it can run, and no others', async () => {
  const { code, stdout } = await onramp('--help')
  expect(code).toBe(0)
  const names = [...stdout.matchAll(/^ {2}([\w-]+)/gm)].map((match) => match[1])
  expect(names).toEqual(expect.arrayContaining(['serve', 'invite', 'doctor', 'status', 'deprecations']))
  expect(names).not.toContain('demo')
  expect(names).not.toContain('sandbox')
  const each = await Promise.all(names.map((name = '') => onramp(name, '--help')))
  expect(each.map((ran) => ran.code)).toEqual(names.map(() => 0))
})

it.each(['demo', 'sandbox'])('the image explains why it lacks the command %s', async (name) => {
  const { code, stderr } = await onramp(name)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^onramp \w+: it is for development only, and the sandbox is not installed here: /)
  expect(stderr).toContain('run it in a clone of the repository')
  expect(stderr).not.toContain('    at ')
})

it('the image serves from its own files alone', async () => {
  const port = String(await freePort())
  const set = { PORT: port, HOST: '127.0.0.1', DATA_DIR: join(image, 'data'), SESSION_SECRET: 'a'.repeat(32) }
  const elsewhere = { PUBLIC_URL: `http://127.0.0.1:${port}`, SERVICE_BASE_URL: 'https://svc.example' }
  const env = { ...set, ...elsewhere, OIDC_ISSUER: 'https://as.example' }
  const server = spawnOne(process.execPath, commandOfImage(), env, { cwd: image })
  await until(
    async () => server.hasEnded() || (await statusOf(`${env.PUBLIC_URL}/healthz`)) === 200,
    'it to serve',
  )

  expect(await server.end('SIGINT')).toMatchObject({ code: 0 })
})

it('the image gives Node the same heap options as every start does', () => {
  const options = (words: readonly string[]) => words.filter((word) => word.includes('space'))
  expect(options(startArguments())).toHaveLength(1)
  expect(options(commandOfImage())).toEqual(options(startArguments()))
  const [, unit = ''] = /^ExecStart=(.+)$/m.exec(read('deploy/systemd/onramp@.service')) ?? []
  expect(options(unit.split(' '))).toEqual(options(startArguments()))
})

it.each(['production-packages', 'all-packages', 'sandbox', 'onramp'])(
  'the stage %s copies only files that .dockerignore admits',
  (stage) => {
    const { copied } = stageOf(stage)
    expect(copied).not.toEqual([])
    const given = read('.dockerignore').split('\n')
    for (const path of copied) expect(given).toContain(`!${path.split('/')[0]}`)
  },
)

type Service = {
  environment?: Record<string, string | number>
  ports?: string[]
  env_file?: string
  profiles?: string[]
  depends_on?: unknown
  network_mode?: string
  stop_grace_period?: string
}

const { services } = parse(read('docker-compose.yml')) as { services: Record<string, Service> }

it('compose takes settings from .env alone: neither the file nor a shell overrides them', () => {
  const { env_file: file, environment } = services['onramp'] ?? {}
  expect(file).toBe('.env')
  // HOST of .env could keep it from listening on the port that is published.
  expect(environment).toEqual({ PORT: 3000, HOST: '' })
})

it('compose starts Valkey only with its profile', () => {
  expect(services['valkey']?.profiles).toEqual(['valkey'])
  expect(services['onramp']?.depends_on).toBeUndefined()
  expect(read('docker-compose.yml')).toContain('COMPOSE_PROFILES=valkey')
})

it('compose waits for as long as the server may take to drain', () => {
  const longest = settingDefinitions
    .find(({ name }) => name === 'DRAIN_SECONDS')
    ?.schema.safeParse('60').success
  expect(longest).toBe(true)
  expect(Number.parseInt(services['onramp']?.stop_grace_period ?? '', 10)).toBeGreaterThan(60 + 6.5)
})

it('compose publishes ports on this machine alone, each to a port on which something listens', () => {
  const ports = Object.values(services).flatMap((service) => service.ports ?? [])
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  // The container listens on 3000, whatever PORT is.
  expect(services['onramp']?.ports).toEqual(['127.0.0.1:${PORT:-3000}:3000'])
  expect(services['sandbox']?.network_mode).toBeUndefined()
  expect(services['sandbox']?.environment).toEqual({ PORT: '${PORT:-3000}' })
  expect(services['sandbox']?.ports).toEqual([
    '127.0.0.1:${PORT:-3000}:${PORT:-3000}',
    '127.0.0.1:4000-4005:4000-4005',
  ])
})
