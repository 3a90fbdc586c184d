// Debian's WebKitGTK over WebDriver: each session is a window with a fresh profile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../helpers/running.ts'
import type { Engine, Tab } from './engine.ts'

const DRIVER = '/usr/bin/WebKitWebDriver'
/** A virtual display, because WebKitGTK has no headless mode. */
const DISPLAY = '/usr/bin/Xvfb'
export const webkitNeeds = { [DRIVER]: 'webkit2gtk-driver', [DISPLAY]: 'xvfb' }

/** Sends a command of the protocol (W3C WebDriver). @throws with the driver's message */
type Send = <Value = unknown>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<Value>

const sendTo =
  (base: string): Send =>
  async <Value>(method: string, path: string, body?: object) => {
    const response = await fetch(base + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } }
    if (!response.ok) throw new Error(`WebKit ${method} ${path}: ${value.error} ${value.message}`)
    return value as Value
  }

export async function openWebkit(): Promise<Engine> {
  const display = spawn(DISPLAY, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = (await once(display.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer]
  const port = await freePort()
  const driver = spawn(DRIVER, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${String(number).trim()}`, GDK_BACKEND: 'x11' },
  })
  const send = sendTo(`http://127.0.0.1:${port}`)
  for (let tries = 0; tries < 100; tries++) {
    if (await send('GET', '/status').catch(() => false)) break
    await sleep(50)
  }
  return {
    async arrive() {
      const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
        capabilities: { alwaysMatch: { timeouts: { pageLoad: 10_000, script: 5_000 } } },
      })
      const session = sendTo(`http://127.0.0.1:${port}/session/${sessionId}`)
      const tab = tabOf(session, await session<string>('GET', '/window'))
      return { tab, leave: async () => void (await session('DELETE', '')) }
    },
    async close() {
      for (const started of [driver, display]) {
        started.kill()
        if (started.exitCode === null && started.signalCode === null) await once(started, 'exit')
      }
    },
  }
}

function tabOf(send: Send, handle: string): Tab {
  /** The session looks at one tab at a time. */
  const switchToTab = () => send('POST', '/window', { handle })
  return {
    async open(url) {
      await switchToTab()
      await send('POST', '/url', { url })
    },
    async back() {
      await switchToTab()
      await send('POST', '/back', {})
    },
    async ask<Value>(expression: string) {
      await switchToTab()
      return await send<Value>('POST', '/execute/sync', { script: `return (${expression})`, args: [] })
    },
    async click(selector) {
      await switchToTab()
      const found = await send<object>('POST', '/element', { using: 'css selector', value: selector })
      await send('POST', `/element/${Object.values(found)[0]}/click`, {})
    },
    async another() {
      const { handle: opened } = await send<{ handle: string }>('POST', '/window/new', { type: 'window' })
      return tabOf(send, opened)
    },
  }
}
