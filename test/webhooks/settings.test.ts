// The settings of what other systems get from onramp, and what is wrong with those that are refused.
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/settings/settings.ts'
import { faultsIn } from '../helpers/settings-faults.ts'

const whole = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://svc.example',
  OIDC_ISSUER: 'https://as.example',
  SESSION_SECRET: 'a'.repeat(32),
}

const faultsOf = (env: Record<string, string>) => faultsIn({ ...whole, ...env })

describe('the settings for other systems', () => {
  it.each([
    ['REPORT_TOKEN', 'short'],
    ['REPORT_TOKEN', 'planted words that are long enough'],
    ['OIDC_GROUPS_CLAIM', 'my groups'],
    ['WEBHOOK_URL', 'http://hooks.acme.example/planted'],
    ['WEBHOOK_URL', 'https://ada:planted@hooks.acme.example'],
    ['WEBHOOK_URL', 'https://hooks.acme.example/#planted'],
    ['WEBHOOK_SECRET', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['WEBHOOK_SECRET', 'whsec_c2hvcnQ='],
    ['WEBHOOK_SECRET', ','],
    ['WEBHOOK_SECRET', `whsec_${'A'.repeat(32)},whsec_planted`],
    ['WEBHOOK_SECRET', `whsec_${'A'.repeat(100)}`],
  ])('%s does not take %s', (name, value) => {
    const faults = faultsOf({ [name]: value }).filter((fault) => fault.startsWith(`${name} `))
    expect(faults).toHaveLength(1)
    expect(faults[0]).not.toContain('planted')
  })

  it('take groups with spaces in their names, each once', () => {
    const { ADMIN_GROUPS: groups } = loadSettings({
      ...whole,
      ADMIN_GROUPS: 'Search Admins, /it/search,,Search Admins ',
    })
    expect(groups).toEqual(['Search Admins', '/it/search'])
  })

  const DN = 'CN=Search Admins,OU=Groups,DC=acme'
  it.each([
    ['in quotes', `"${DN}", /it/search ,"Search Admins"`, [DN, '/it/search', 'Search Admins']],
    ['one a line', `${DN}\n/it/search\n\n"a, b"\n`, [DN, '/it/search', 'a, b']],
    ['without a comma', 'CN=Search Admins', ['CN=Search Admins']],
  ])('take a distinguished name as a group: %s', (_how, value, groups) => {
    expect(loadSettings({ ...whole, ADMIN_GROUPS: value }).ADMIN_GROUPS).toEqual(groups)
  })

  it('refuse quotes around the whole list, as an env file may keep them', () => {
    const [fault = ''] = faultsOf({ ADMIN_GROUPS: '"Search Admins,/it/search"' })
    expect(fault).toContain('is in quotes, which are part of the value')
    expect(loadSettings({ ...whole, ADMIN_GROUPS: `"${DN}"` }).ADMIN_GROUPS).toEqual([DN])
  })

  it.each([DN, `Search Admins,${DN}`, `"${DN},x`, `a"b`, `"a"b`])(
    'refuse a distinguished name without quotes, whose parts would be groups: %s',
    (value) => {
      expect(faultsOf({ ADMIN_GROUPS: value })).toEqual([expect.stringContaining('in double quotes')])
    },
  )

  it('need an address and a secret for webhooks, or neither', () => {
    const [url, secret] = ['https://hooks.acme.example/?code=x', `whsec_${'A'.repeat(32)}`]
    expect(faultsOf({ WEBHOOK_URL: url })).toEqual([expect.stringMatching(/^WEBHOOK_SECRET is required/)])
    expect(faultsOf({ WEBHOOK_SECRET: secret })).toEqual([expect.stringMatching(/^WEBHOOK_URL is required/)])
    expect(faultsOf({ WEBHOOK_URL: url, WEBHOOK_SECRET: `${secret},${secret}` })).toEqual([])
  })
})
