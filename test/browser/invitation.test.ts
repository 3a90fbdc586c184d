// An invitation's whole way: the mail arrives, a scanner opens its link in a browser of its own and again, then the
// person does, and ends with everything connected.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ sandbox: { mailPort: 0 }, settings: { ADMIN_EMAILS: 'Grace@acme.example' } }))
const folder = mkdtempSync(join(tmpdir(), 'onramp-invitation-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The command in this process, on the same store as the server. */
async function onramp(...args: string[]) {
  const { running } = site
  const output = { stdout: '', stderr: '' }
  const to = (name: 'stdout' | 'stderr') => ({
    write: (chunk: string | Uint8Array) => ((output[name] += String(chunk)), true),
  })
  const env = {
    ...running.env,
    SERVICE_GLOBAL_TOKEN: running.sandbox.serviceTokens.global,
    SMTP_URL: running.sandbox.mail?.url,
    MAIL_FROM: 'Search team <search@acme.example>',
  }
  const parts = { stdin: process.stdin, stdout: to('stdout'), stderr: to('stderr'), env, now: Date.now }
  return { code: await main(['invite', ...args], parts), ...output }
}

const heading = ({ page }: Visitor) => page.locator('h1').innerText()

async function linkInMail(): Promise<string> {
  const mail = await PostalMime.parse(site.running.sandbox.mail?.emails.at(-1)?.raw ?? '')
  return /^(http\S+\/invite\/\S+)$/m.exec(mail.text ?? '')?.[1] ?? ''
}

it('leads from the mail, through scanners, to the finished walk', async () => {
  const { running } = site
  const list = join(folder, 'people.csv')
  writeFileSync(list, 'email;name\nada@acme.example;Ada\ncarol@acme.example;Carol\n')
  const sent = await onramp('send', list, '--rate', '100')
  expect(sent).toMatchObject({ code: 0 })
  expect(running.sandbox.mail?.emails.map(({ to }) => to[0])).toEqual(['ada@acme.example'])
  const link = await linkInMail()

  running.sandbox.clearRequests()
  const { context: scanner } = await site.arrive({ person: 'ada', userAgent: 'Mozilla/5.0 OneOutlook' })
  for (let times = 0; times < 2; times++) {
    const page = await scanner.newPage()
    await page.goto(link)
    await page.waitForLoadState('networkidle')
    await page.close()
    await fetch(link, { method: 'HEAD' })
    await fetch(link, { headers: { 'sec-purpose': 'prefetch;prerender' } })
  }
  expect(await scanner.cookies()).toEqual([])
  expect(running.sandbox.requests.map(({ operation }) => operation)).toEqual([])
  await scanner.close()

  const ada = await site.arrive({ person: 'ada' })
  await ada.page.goto(link)
  expect(await heading(ada)).toBe('Connect your apps to search')
  await ada.page.getByRole('link', { name: 'Get started' }).click()
  await ada.chooseAccount()
  await ada.goOn()
  for (let left = 5; left > 0; left--) await ada.answer('Allow')
  await ada.page.getByRole('heading', { name: 'You’re all set' }).waitFor()
  expect(await heading(ada)).toBe('You’re all set, Ada')
  expect(ada.complaints).toEqual([])
  await ada.page.goto(link)
  expect(await heading(ada)).toBe('You’re all set, Ada')
  await ada.leave()
})
