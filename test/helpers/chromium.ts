// Real Chromium, with onramp and the sandbox on three loopback addresses, which browsers treat as three sites, so that
// cookies, Referer, form-action and Fetch Metadata behave as in production.
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { run, type RunOptions, type Running } from './running.ts'

const ARGUMENTS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  )

const SERVICE = '127.0.0.2'
const HOSTS = {
  service: SERVICE,
  authorizationServer: SERVICE,
  externalIdp: SERVICE,
  datasource: '127.0.0.3',
}

/** The shell is the same engine without the windows of a desktop, and takes half the time. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? INSTALLED.find(existsSync) ?? 'chromium',
    args: ARGUMENTS,
  })

/** Like run, with the product, the service and the datasources on three sites. */
export const runOnThreeSites = (options: RunOptions = {}): Promise<Running> =>
  run({
    host: '127.0.0.1',
    ...options,
    sandbox: { ...options.sandbox, hosts: { ...HOSTS, ...options.sandbox?.hosts } },
  })
