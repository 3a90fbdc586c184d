// Small years of `onramp keep`, in processes of their own: they take over JSON.parse. `npm run proof:year` lives a whole one.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

async function live(...args: string[]): Promise<string> {
  const flags = ['--disable-warning=ExperimentalWarning', 'test/proof/year/run.ts', '--quiet']
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return await text(child.stdout)
}

const hashesIn = (said: string) => [...said.matchAll(/^hash (\w+)/gm)].map(([, hash]) => hash)

it(
  'onramp keep keeps its promises for sixty days, and the same seed gives the same days',
  {
    timeout: 120_000,
  },
  async () => {
    const small = ['--people', '300', '--days', '60']
    const [some, again] = await Promise.all([
      live(...small, '--seed', '1', '--seeds', '2'),
      live(...small, '--seed', '2'),
    ])
    expect(some.split('\n').filter((line) => line.startsWith('BROKEN'))).toEqual([])
    expect(hashesIn(some)).toHaveLength(2)
    expect(hashesIn(again)).toEqual(hashesIn(some).slice(1))
  },
)
