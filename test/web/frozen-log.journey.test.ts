// A reader of the log that reads nothing for a while, such as a frozen collector behind a pipe.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const LINES = 40_000
const LOG = new URL('../../src/web/log.ts', import.meta.url).href
/** Each line has about 1,000 bytes. @param then code that runs afterwards, with `heap` in megabytes */
const program = (then: string) => `
  const { createLog } = await import('${LOG}')
  const log = createLog('info')
  for (let line = 0; line < ${LINES}; line++) log.info({ line, padding: 'x'.repeat(900) }, 'line')
  gc()
  const heap = process.memoryUsage().heapUsed / 2 ** 20
  ${then}`
const start = (then: string) =>
  spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program(then)])

it('a frozen reader of the log fills no memory and delays no exit', async () => {
  const child = start('console.error(heap); process.exit(0)')
  const [heap, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  child.stdout.destroy()

  expect(code).toBe(0)
  expect(Number(heap)).toBeLessThan(40)
})

it('a full disk under the log neither hangs the process nor ends it', async () => {
  const disk = openSync('/dev/full', 'w')
  const code = `const { createLog } = await import('${LOG}')
    const log = createLog('info')
    log.info({}, 'line')
    setTimeout(() => log.fatal({}, 'line'), 200)
    setTimeout(() => process.exit(7), 400)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', disk, 'inherit'],
  })
  const [exit] = await once(child, 'exit')
  closeSync(disk)
  expect(exit).toBe(7)
})

it('a reader that comes back gets what waited, and how many lines were dropped', async () => {
  const child = start('console.error("logged"); setTimeout(() => {}, 2_000)')
  await once(child.stderr, 'data')
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  const last = JSON.parse(lines.at(-1) ?? '') as { level: string; dropped: number }

  expect(last).toMatchObject({ level: 'warn', dropped: LINES - lines.length + 1 })
  expect(lines.length).toBeGreaterThan(5_000)
})
