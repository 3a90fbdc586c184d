// The control page and its JSON.
import { afterEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { check, jsonOf } from './client-calls.ts'

let sandbox: Sandbox | undefined
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

async function start(options?: SandboxOptions): Promise<Sandbox> {
  return (sandbox = await startSandbox(options))
}

describe('control', () => {
  const json = { accept: 'application/json' }

  it('shows a page with every switch, every person and the last requests', async () => {
    const running = await start()
    await check(running, 'ada')
    const response = await fetch(`${running.urls.control}/`, { headers: { accept: 'text/html' } })
    const text = await response.text()
    for (const name of Object.keys(running.switches.get())) expect(text).toContain(`name="${name}"`)
    expect(text).toContain('ada@acme.example')
    expect(text).toContain('POST checkdatasourceauth')
    expect(text).toContain('for development only')
  })

  it('changes switches as JSON, and names what does not fit', async () => {
    const { urls, switches } = await start()
    const patch = async (body: unknown) =>
      fetch(`${urls.control}/control.json`, { method: 'PATCH', body: JSON.stringify(body) })
    expect((await patch({ denyAll: true })).status).toBe(200)
    expect(switches.get().denyAll).toBe(true)
    const refused = await patch({ denyAll: 'yes', nonsense: 1 })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('denyAll')
    const shown = await jsonOf(await fetch(`${urls.control}/control.json`))
    expect(shown['switches']).toMatchObject({ denyAll: true })
  })

  it('changes switches by the form of the page', async () => {
    const { urls, switches } = await start({
      switches: { answers: { search: { status: 500 } }, denyAll: true },
    })
    const fields = {
      autoConsent: 'on',
      consentDelaySeconds: '40',
      answers: '{"jwks":{"status":503}}',
      tenantRedirectUrl: '',
    }
    const body = new URLSearchParams(fields)
    const headers = { accept: 'text/html' }
    const response = await fetch(`${urls.control}/control/switches`, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
    expect(switches.get()).toMatchObject({ autoConsent: true, denyAll: false, consentDelaySeconds: 40 })
    expect(switches.get().answers).toEqual({ jwks: { status: 503 } })
  })

  it('shows one thing that can go wrong at a press, and takes the one before back', async () => {
    const { urls, switches } = await start()
    const press = async (name: string) =>
      (await fetch(`${urls.control}/control/preset/${name}`, { method: 'POST', headers: json })).status
    expect(await press('deny')).toBe(200)
    expect(switches.get()).toMatchObject({ denyAll: true })
    expect(await press('slow')).toBe(200)
    expect(switches.get()).toMatchObject({ denyAll: false, consentDelaySeconds: 30 })
    expect(await press('well')).toBe(200)
    expect(switches.get()).toMatchObject({ denyAll: false, consentDelaySeconds: 0 })
    expect(await press('nonsense')).toBe(404)
  })

  it('authorizes, resets and lists requests', async () => {
    const running = await start()
    const { urls, state } = running
    const body = new URLSearchParams({ person: 'ada', instance: 'slack_1' })
    await fetch(`${urls.control}/control/authorize`, { method: 'POST', body, headers: json })
    expect(state('ada')['slack_1']).toBe('authorized')
    await check(running, 'ada')
    const listed = await fetch(`${urls.control}/requests.json`)
    expect(await listed.json()).toHaveLength(1)
    await fetch(`${urls.control}/control/reset`, { method: 'POST', headers: json })
    expect(state('ada')['slack_1']).toBe('waiting')
    expect(running.requests).toEqual([])
  })

  it('refuses what a page of another site sends', async () => {
    const { urls } = await start()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${urls.control}/control/reset`, { method: 'POST', headers })).status).toBe(403)
  })
})
