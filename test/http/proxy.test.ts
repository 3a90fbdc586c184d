// Hosts that are called through HTTPS_PROXY, and exemptions by NO_PROXY.
import { afterEach, expect, it } from 'vitest'
import { proxyFor, useProxy } from '../../src/http/proxy.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

afterEach(() => useProxy({}))

const isProxied = (url: string, NO_PROXY = '', HTTPS_PROXY = 'http://proxy.acme.example:3128') => {
  useProxy(loadSettings({ ...REQUIRED, HTTPS_PROXY, NO_PROXY }))
  return proxyFor(new URL(url)) === 'proxy.acme.example:3128'
}

it('the proxy is used for every host except this machine', () => {
  expect(isProxied('https://service.example/tenant')).toBe(true)
  expect(isProxied('https://10.1.2.3')).toBe(true)
  for (const own of ['https://localhost:8443', 'http://127.0.0.7', 'https://[::1]'])
    expect(isProxied(own), own).toBe(false)
  expect(isProxied('https://service.example', '', '')).toBe(false)
})

it.each([
  ['*', 'https://service.example', 'any'],
  ['example', 'https://service.example', 'any subdomain'],
  ['service.example', 'https://SERVICE.example.', 'the name itself'],
  ['.service.example', 'https://service.example', 'a name with a leading dot'],
  ['*.example', 'https://a.service.example', 'any subdomain, with a star'],
  ['a.example, service.example:8443', 'https://service.example:8443', 'a name with its port'],
  ['service.example:443 b.example', 'https://service.example', 'a name with the usual port'],
  ['10.1.2.3', 'https://10.1.2.3:8443', 'an address'],
  ['FD12::1', 'https://[fd12:0:0::1]', 'an address of IPv6'],
  ['[fd12::1]:8443', 'https://[fd12::1]:8443', 'an address of IPv6 with its port'],
])('NO_PROXY=%s exempts %s (%s)', (exempt, url) => {
  expect(isProxied(url, exempt)).toBe(false)
})

it.each([
  ['service.example', 'https://myservice.example'],
  ['service.example:8443', 'https://service.example'],
  ['a.service.example', 'https://service.example'],
  ['10.0.0.0/8', 'https://10.20.30.40'],
  ['fd00::/8', 'https://[fd12:3456::1]'],
  ['[fd12::1]:8443', 'https://[fd12::1]'],
])('NO_PROXY=%s doesn’t exempt %s', (exempt, url) => {
  expect(isProxied(url, exempt)).toBe(true)
})

it('HTTP_PROXY alone is used, too, and lower-case names take precedence', () => {
  const through = (proxies: Record<string, string>) => {
    useProxy(loadSettings({ ...REQUIRED, ...proxies }))
    return proxyFor(new URL(REQUIRED.SERVICE_BASE_URL))
  }
  expect(through({ HTTP_PROXY: 'http://a.example:1' })).toBe('a.example:1')
  expect(through({ HTTP_PROXY: 'http://a.example:1', https_proxy: 'http://b.example:2' })).toBe('b.example:2')
  expect(through({ HTTPS_PROXY: 'http://a.example:1', https_proxy: 'http://b.example:2' })).toBe(
    'b.example:2',
  )
  expect(through({ HTTPS_PROXY: 'http://a.example:1', https_proxy: '' })).toBe('a.example:1')
})
