// A start with faulty settings.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { spawnOnramp, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'

const folder = useFolder()

it('a start with faulty settings reports every fault and starts nothing', async () => {
  const port = await freePort()
  const data = join(folder, 'data')
  const env = {
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    DATA_DIR: data,
    SESSION_SECRET: 'planted',
  }
  const onramp = spawnOnramp(env)
  await until(() => onramp.hasEnded(), 'its end')

  const { code } = await onramp.end('SIGKILL')
  const output = onramp.output()

  expect(code).toBe(78)
  for (const name of ['SERVICE_BASE_URL', 'OIDC_ISSUER', 'SESSION_SECRET']) expect(output).toContain(name)
  expect(output).not.toMatch(/planted|listens|at .*\.ts/)
  expect(existsSync(data)).toBe(false)
})
