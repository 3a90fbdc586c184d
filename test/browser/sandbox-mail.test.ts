// Emails that the sandbox caught, in a browser under the page's own policy.
import { createTransport } from 'nodemailer'
import { beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { openChromium } from '../helpers/chromium.ts'
import { shared } from '../helpers/shared.ts'
import { axeFindings, htmlFindings, styleOf } from './examine.ts'

const browser = shared(openChromium)
const sandbox = shared(() => startSandbox({ mailPort: 0 }))
beforeAll(async () => {
  const transport = createTransport(sandbox.mail?.url ?? '')
  for (let index = 0; index < 80; index++) {
    const address = `${sandbox.urls.control}/?${'long'.repeat(80)}`
    await transport.sendMail({
      from: 'search@acme.example',
      to: `person-${index}@acme.example`,
      subject: `Mail ${index}`,
      text: `Hello ${index}, ${address}`,
      html: `<style>p { color: rgb(1, 2, 3) }</style><p>Hello ${index}, <a href="${address}">start</a></p>`,
    })
  }
  transport.close()
})

it('the sandbox shows the latest email like a mail program, and its links open', async () => {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  await page.goto(`${sandbox.urls.control}/mail`)
  const mail = page.locator('details[open] > iframe').contentFrame()
  expect(await mail.locator('p').innerText()).toBe('Hello 79, start')
  expect(await styleOf(mail.locator('p'), 'color')).toBe('rgb(1, 2, 3)')

  const opened = page.waitForEvent('popup')
  await mail.getByRole('link', { name: 'start' }).click()
  const popup = await opened
  await popup.waitForLoadState()
  expect(await popup.locator('h1').innerText()).toBe('Control panel')
  expect(complaints).toEqual([])
  expect(await axeFindings(popup)).toEqual([])
  for (const path of ['/', '/mail']) {
    const response = await fetch(sandbox.urls.control + path)
    expect(await htmlFindings(await response.text()), path).toEqual([])
  }
})
