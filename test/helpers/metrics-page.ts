// /metrics of the whole app, within this process. As a script: prints it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import request from 'supertest'
import { createOnramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'

export const METRICS_SETTINGS = {
  PUBLIC_URL: 'http://localhost:3000',
  SERVICE_BASE_URL: 'http://localhost:1',
  OIDC_ISSUER: 'http://localhost:1',
  SESSION_SECRET: 'a secret of thirty-two characters',
  METRICS_TOKEN: 'a-token-for-the-metrics',
}

export async function metricsPage(changed: Record<string, string> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-metrics-'))
  const settings = loadSettings({ ...METRICS_SETTINGS, DATA_DIR: folder, ...changed })
  const onramp = createOnramp(settings, pino({ level: 'silent' }))
  try {
    return (await request(onramp.app).get('/metrics').set('authorization', 'Bearer a-token-for-the-metrics'))
      .text
  } finally {
    await onramp.close()
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) process.stdout.write(await metricsPage())
