// What can be wrong with the authorization server and the service: each thing made wrong once, over real HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../helpers/running.ts'
import { seeds } from './seeds.ts'
import { examined, setUp, troubles, type SetUp } from './set-up.ts'

let ours: SetUp
let closedPort: number
beforeAll(async () => {
  ours = await setUp()
  closedPort = await freePort()
})
afterEach(() => ours.sandbox.reset())
afterAll(() => ours.close())

const AS_ADA = ['--as', 'ada@acme.example']

describe('a set-up in which everything is right', () => {
  it('is told to be so, and the addresses to register are printed', async () => {
    const report = await examined(ours.env, AS_ADA)
    // The made-up name of this set-up resolves nowhere.
    expect(troubles(report).map(({ check }) => check)).toEqual(['settings.public-url-reached'])
    expect(report).toMatchObject({ exit: 0, result: 'warn' })
    const said = report.findings.map(({ says }) => says).join('\n')
    expect(said).toContain('Redirect URI: https://onramp.acme.test/sign-in/callback')
    expect(said).toContain('Client ID and authentication accepted')
    expect(said).toContain('5 apps left')
    expect(said).toContain('redirects')
  })

  it('is left as it was: nobody signs in and nothing is registered', async () => {
    ours.sandbox.clearRequests()
    await examined({ ...ours.env, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }, AS_ADA)
    const registrations = ours.sandbox.requests.filter(({ operation }) => operation === 'registration')
    expect(registrations.map(({ status }) => status)).toEqual([400])
    expect(ours.sandbox.count('checkdatasourceauth')).toBeLessThanOrEqual(3)
  })

  it('is not asked anything with --offline', async () => {
    ours.sandbox.clearRequests()
    const report = await examined(ours.env, ['--offline', ...AS_ADA])
    expect(ours.sandbox.requests).toEqual([])
    expect(report.findings.filter(({ says }) => says.includes('skipped (--offline)')).length).toBeGreaterThan(
      8,
    )
  })
})

describe('who issues tokens', () => {
  const judged = async (changed: Record<string, string>) => {
    const { findings } = await examined({ ...ours.env, ...changed })
    return findings.filter(({ check }) => check === 'service.token-issuer')
  }

  it('is not called in order where it cannot be known, as at an external identity provider', async () => {
    const [finding] = await judged({ OIDC_ISSUER: ours.sandbox.urls.externalIdp })
    expect(finding).toMatchObject({ status: 'skip', says: expect.stringContaining('TOKEN_ISSUED_BY') })
  })

  it('is in order where the issuer is at the address of the service', async () => {
    const [finding] = await judged({ OIDC_ISSUER: `${ours.env['SERVICE_BASE_URL']}/oauth` })
    expect(finding?.status).toBe('ok')
  })

  it("is in order at the service's own address also where that begins with /realms/", async () => {
    const [finding] = await judged({ OIDC_ISSUER: `${ours.env['SERVICE_BASE_URL']}/realms/search` })
    expect(finding?.status).toBe('ok')
  })

  it('decides whether a header goes out with access tokens, and with nothing else', async () => {
    const [finding] = await judged({ TOKEN_ISSUED_BY: 'external-idp' })
    expect(finding).toMatchObject({ status: 'ok', says: expect.stringContaining('with every access token') })
  })
})

describe('the doctor finds', () => {
  it.each(seeds)('$title', async ({ changed, switches, args, now, check, setting, says }) => {
    if (switches !== undefined) ours.sandbox.switches.set(switches)
    const report = await examined(
      { ...ours.env, ...changed?.(ours, closedPort) },
      args,
      now === undefined ? {} : { now },
    )
    const [finding, ...more] = troubles(report, check)
    expect(more).toEqual([])
    expect(`${finding?.says} ${finding?.fix}`).toMatch(says)
    expect(finding?.settings ?? []).toEqual(expect.arrayContaining(setting === undefined ? [] : [setting]))
    expect(report.exit).toBe(report.result === 'fail' ? 1 : 0)
  })

  it('nothing that stops the rest: with every server gone all groups are told', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`
    const report = await examined({ ...ours.env, SERVICE_BASE_URL: gone, OIDC_ISSUER: `${gone}/issuer` })
    expect(new Set(report.findings.map(({ group }) => group)).size).toBe(4)
    expect(report.exit).toBe(1)
  })
})
