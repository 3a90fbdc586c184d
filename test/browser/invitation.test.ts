// An invitation from the mail to the finished walk: a scanner opens its link twice in another browser, then the person.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { useFolder } from '../helpers/folder.ts'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ sandbox: { mailPort: 0 }, settings: { ADMIN_EMAILS: 'Grace@acme.example' } }))
const folder = useFolder()

const heading = ({ page }: Visitor) => page.locator('h1').innerText()

async function linkInMail(): Promise<string> {
  const mail = await PostalMime.parse(site.running.sandbox.mail?.emails.at(-1)?.raw ?? '')
  return /^(http\S+\/invite\/\S+)$/m.exec(mail.text ?? '')?.[1] ?? ''
}

it('an invitation leads from the mail, through scanners, to the finished walk', async () => {
  const { running } = site
  const list = join(folder, 'people.csv')
  writeFileSync(list, 'email;name\nada@acme.example;Ada\ncarol@acme.example;Carol\n')
  const { exit } = await runCommand(['invite', 'send', list, '--rate', '100'], {
    ...running.env,
    SERVICE_GLOBAL_TOKEN: running.sandbox.serviceTokens.global,
    SMTP_URL: running.sandbox.mail?.url ?? '',
    MAIL_FROM: 'Search team <search@acme.example>',
  })
  expect(exit).toBe(0)
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
  for (let remaining = 5; remaining > 0; remaining--) await ada.answer('Allow')
  await ada.page.getByRole('heading', { name: 'You’re all set' }).waitFor()
  expect(await heading(ada)).toBe('You’re all set, Ada')
  expect(ada.complaints).toEqual([])
  await ada.page.goto(link)
  expect(await heading(ada)).toBe('You’re all set, Ada')
})
