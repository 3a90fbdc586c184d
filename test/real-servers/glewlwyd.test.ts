// Debian's Glewlwyd: refresh tokens that rotate, sign-out, back-channel logout, registration.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Visitor } from '../browser/visitor.ts'
import { until } from '../helpers/processes.ts'
import { GLEWLWYD, PASSWORD, SECONDS, startGlewlwyd, type Glewlwyd } from './glewlwyd.ts'
import { lacks, openInstallation, type Installation } from './installation.ts'

let installation: Installation
let server: Glewlwyd
const isHere = existsSync(GLEWLWYD)
const BY_ITSELF = { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }

beforeAll(async () => {
  if (isHere)
    installation = await openInstallation(async (addresses) => (server = await startGlewlwyd(addresses)))
})
afterAll(async () => await installation?.close())

async function signIn(): Promise<Visitor> {
  const ada = await installation.arrive()
  const { page } = ada
  await page.goto(installation.url)
  await page.getByPlaceholder('Your username').fill('ada')
  await page.getByPlaceholder('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'OK', exact: true }).click()
  await page.locator('button', { hasText: 'Continue' }).click()
  await ada.reads('0 of 5 connected')
  await ada.reads('ada@acme.example')
  return ada
}

type Client = { client_id: string; authorization_type: string[] }
const madeClients = async (): Promise<Client[]> =>
  ((await server.call('GET', '/client/')) as Client[]).filter((client) => client.client_id !== 'onramp')

/** Opens the page after the access token has expired. */
async function comeBackLater(ada: Visitor): Promise<void> {
  await sleep(SECONDS * 1000)
  await ada.page.goto(installation.url)
  await ada.reads('0 of 5 connected')
}

describe.skipIf(!isHere)(`Glewlwyd${lacks(GLEWLWYD, 'glewlwyd')}`, () => {
  it("people sign in, their tokens are refreshed twice, and signing out ends the server's session", async () => {
    const ada = await signIn()
    await comeBackLater(ada)
    await comeBackLater(ada)
    installation.expectRefreshed(2)

    await ada.choose('button', 'Sign out')
    await ada.page.locator('a[href="/sign-out/continue"]').click()
    await ada.page.locator('button', { hasText: 'Logout' }).click()

    await ada.page.waitForURL(`${installation.url}/signed-out`)
    await ada.reads('You’re signed out')
    expect(ada.requests.filter((request) => request.url().includes('/signed-out?state='))).toHaveLength(1)
    await ada.page.getByRole('link', { name: 'Sign in again' }).click()
    await ada.page.getByPlaceholder('Your password').waitFor()
    expect(ada.complaints.filter((complaint) => complaint.includes(installation.url))).toEqual([])
    await ada.leave()
  })

  it('onramp registers once, and anew when the client is gone', async () => {
    await installation.restart(BY_ITSELF)
    const ada = await signIn()
    await comeBackLater(ada)
    await installation.restart(BY_ITSELF)
    await comeBackLater(ada)
    installation.expectRefreshed(4, 2)
    expect(await madeClients()).toMatchObject([{ authorization_type: ['code', 'refresh_token'] }])

    const endedThere = () =>
      installation.audited('sign_out').filter(({ by }) => by === 'authorization_server').length
    const before = endedThere()
    // Like the server's page for ending a session.
    await ada.context.request.delete(`${server.issuer}/session/${server.newestSession()}`)
    await until(() => endedThere() > before, 'the logout')

    await ada.page.goto(installation.url)
    expect(new URL(ada.page.url()).pathname).toBe('/login.html')
    expect(installation.audited('sign_out')).toContainEqual(
      expect.objectContaining({ by: 'authorization_server', sessions: 1 }),
    )
    await ada.leave()

    const [gone] = await madeClients()
    await server.call('DELETE', `/client/${gone?.client_id}`)
    await installation.restart(BY_ITSELF)
    await until(async () => (await madeClients()).length === 1, 'another client')
    // The server has the client before onramp has stored it.
    await until(
      async () => (await installation.doctor(BY_ITSELF)).length === 0,
      'a client that the store knows',
    )
    await installation.restart()
  })

  it('the doctor reports a fault, and none in a correct configuration', async () => {
    for (const right of [{}, BY_ITSELF]) expect(await installation.doctor(right)).toEqual([])
    for (const wrong of [{ OIDC_CLIENT_SECRET: 'x'.repeat(30) }, { OIDC_CLIENT_ID: 'other' }])
      expect(await installation.doctor(wrong)).toEqual([
        'fail: The authorization server rejected the client (unauthorized_client).',
      ])
    expect(await installation.doctor({ OIDC_SCOPE: 'openid email profile offline_access' })).toEqual([
      "warn: The server doesn't advertise every scope in OIDC_SCOPE: email, profile, offline_access missing.",
    ])
  })
})
