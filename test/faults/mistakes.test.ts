// Uncaught errors: requests in flight finish, then the process exits, so that another one takes over.
import { expect, it } from 'vitest'
import { statusOf, until } from '../helpers/processes.ts'
import { run, signIn, startAlone } from '../helpers/running.ts'

/** Plants the error into the process; a signal triggers it. */
const plant = (mistake: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${mistake} })`)}`

it.each([
  ['an exception', "throw new Error('planted')"],
  ['an unhandled rejection', "void Promise.reject(new Error('planted'))"],
])('%s ends the process with code 1, after the requests in flight', async (_title, mistake) => {
  const running = await run()
  const onramp = await startAlone(running, { NODE_OPTIONS: plant(mistake) })
  try {
    const browser = await signIn(running, 'ada')
    running.sandbox.clearRequests()
    running.sandbox.switches.set({ latencyMs: { checkdatasourceauth: 1_500 } })
    const page = browser.open('/onboarding')
    await until(() => running.sandbox.count('checkdatasourceauth') > 0, 'the check')

    onramp.signal('SIGUSR2')

    expect((await page).status).toBe(200)
    await until(() => onramp.hasEnded(), 'its end')
    expect((await onramp.end('SIGTERM')).code).toBe(1)
    expect(await statusOf(`${running.url}/healthz`)).toBeUndefined()
    const fatal = onramp
      .output()
      .split('\n')
      .find((line) => line.includes('uncaught error'))
    expect(JSON.parse(fatal ?? '{}')).toMatchObject({ level: 'fatal', err: [{ message: 'planted' }] })
  } finally {
    await onramp.close()
    await running.close()
  }
})
