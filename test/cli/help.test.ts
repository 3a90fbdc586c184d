// What every command says of itself.
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { VERSION } from '../../src/version.ts'
import { runCommand } from './run-command.ts'

describe('the command line', () => {
  it.each(['doctor', 'status', 'audit-id', 'backup'])(
    'explains %s with its examples first, on 80 columns, without doing anything',
    async (name) => {
      for (const flag of ['--help', '-h']) {
        const { exit, out } = await runCommand([name, flag], {})
        expect(exit).toBe(0)
        expect(out.indexOf('Examples:')).toBeGreaterThan(0)
        expect(out.indexOf('Examples:')).toBeLessThan(out.indexOf('Options:'))
        expect(out).toContain('Exit codes:')
        expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
      }
    },
  )

  it('lists every command, and knows what a mistyped one was meant to be', async () => {
    const { out } = await runCommand(['--help'], {})
    for (const { name } of commands) expect(out).toContain(name)
    expect((await runCommand(['docter'], {})).err).toContain('did you mean doctor?')
  })

  it('says which version it is', async () => {
    expect(await runCommand(['--version'], {})).toMatchObject({ exit: 0, out: `${VERSION}\n` })
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+/)
  })

  it('refuses options that do not exist', async () => {
    expect(await runCommand(['doctor', '--fix'], {})).toMatchObject({ exit: 2, out: '' })
    expect(await runCommand(['doctor', '--as', 'nobody'], {})).toMatchObject({ exit: 2, out: '' })
  })
})
