// `npm ci` installs packages that the lock file pins, and runs no scripts.
import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('..', import.meta.url).pathname
const read = (file: string) => readFileSync(root + file, 'utf8')

type Locked = {
  version: string
  integrity?: string
  link?: true
  hasInstallScript?: true
  os?: string[] | string
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const dependencies = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'))

/** The runtime for one kind of machine; its package is the binary alone. */
const runtimes = dependencies.filter(([path]) => /^node_modules\/node-(linux|win|darwin|bin)-/.test(path))

it('the lock file pins every package by its content', () => {
  expect(dependencies.length).toBeGreaterThan(100)
  const loose = dependencies.filter(
    ([, { integrity, link }]) => link !== true && integrity?.startsWith('sha512-') !== true,
  )
  expect(loose.map(([path]) => path)).toEqual([])
})

it('the lock file has no package with an install script', () => {
  expect(dependencies.filter(([, one]) => one.hasInstallScript).map(([path]) => path)).toEqual([])
  // `ignore-scripts` would also skip the scripts of `npm pack`.
  expect(read('.npmrc')).toMatch(/^strict-allow-scripts=true$/m)
})

it('the lock file pins one exact version of Node for every kind of machine', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as {
    optionalDependencies: Record<string, string>
  }
  expect(runtimes.map(([path]) => path.replace('node_modules/', ''))).toEqual(
    Object.keys(optionalDependencies).toSorted(),
  )
  expect(new Set(runtimes.map(([, { version }]) => version))).toEqual(
    new Set(Object.values(optionalDependencies)),
  )
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1)
  for (const [, { os }] of runtimes) expect(os).toBeDefined()
})

it.runIf(process.platform === 'linux')(
  'npm scripts use the Node that the lock file pins, whatever the machine has',
  () => {
    const [, pinned] = runtimes.find(([path]) => path.endsWith(`-linux-${process.arch}`)) ?? []
    const version = execFileSync(`${root}node_modules/.bin/node`, ['--version'], { encoding: 'utf8' })
    expect(version.trim()).toBe(`v${pinned?.version}`)
    expect(realpathSync(`${root}node_modules/.bin/node`)).toContain(`/node-linux-${process.arch}/bin/node`)
  },
)
