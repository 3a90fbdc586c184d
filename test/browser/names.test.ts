// Hostile names from the service, the person and the URL are escaped on every page in real Chromium.
import { expect, it } from 'vitest'
import type { Person } from '../../packages/sandbox/src/people.ts'
import { useSite, type Visitor } from './visitor.ts'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '" autofocus onfocus=alert(1) x="',
  "' onmouseover='alert(1)",
  'javascript:alert(1)',
  '</title><script>alert(1)</script>',
  '<style>*{display:none}</style>',
  '<meta http-equiv=refresh content=0;url=https://evil.example>',
  '<base href=https://evil.example/>',
  '<a href="javascript:alert(1)">Slack</a>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<!--<script>alert(1)//-->',
  '${alert(1)}`${alert(1)}`',
  '{{constructor.constructor("alert(1)")()}}',
  '<%= process.env %><%~ include("/layout") %>',
  '\u202Egnp.exe\u202C\u0000\u0007\r\nSet-Cookie: a=b',
  '../../sign-out?x=1#<b>',
]

const person: Person = {
  id: 'mallory',
  name: PAYLOADS[0] ?? '',
  email: `"><img src=x onerror=alert(1)>@acme.example`,
  datasources: PAYLOADS.flatMap((payload, index) => [
    { instance: `app${index}_1`, displayName: payload },
    { instance: `${payload}_${index}`, authorized: index % 2 === 0 },
  ]),
}

/** Elements that our pages never have, event handler attributes, and foreign or javascript: URLs. */
const INTRUDERS = `[
  ...document.querySelectorAll('script:not([src^="/assets/walk."]), iframe, img, base, object, embed, style, svg[onload], main meta, main b'),
  ...[...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc')),
  ...[...document.querySelectorAll('a')].filter((link) => !['http:', 'https:', 'mailto:'].includes(link.protocol)),
  ...[...document.querySelectorAll('form')].filter((form) => new URL(form.action).origin !== location.origin),
].map((element) => element.outerHTML.slice(0, 200))`

const site = useSite(() => ({ sandbox: { people: [person] } }))

async function expectNoIntruder(visitor: Visitor): Promise<void> {
  expect(await visitor.page.evaluate(INTRUDERS)).toEqual([])
  expect(visitor.complaints).toEqual([])
}

it('hostile names are escaped on the overview, its banners and the step', async () => {
  const mallory = await site.arrive({ person: 'mallory' })
  await mallory.open()
  expect(await mallory.page.locator('.step h2').innerText()).toBe('Connect <script>alert(1)</script>')
  // Most rows are inside the disclosure.
  const shown = await mallory.page.locator('.entry .name > bdi:first-child').allTextContents()
  expect(shown).toContain('<%= process.env %><%~ include("/layout") %>')
  await expectNoIntruder(mallory)

  for (let count = 0; count < 4; count++) {
    await mallory.page.locator('.step form[action^="/onboarding/skip/"] button').click()
    await mallory.page.locator('.banner').waitFor()
    await expectNoIntruder(mallory)
  }
  for (let index = 5; index < PAYLOADS.length; index++) {
    await mallory.open(`/onboarding?datasource=app${index}_1`)
    await mallory.page.locator('.step h2').waitFor()
    await expectNoIntruder(mallory)
  }
})

it.each(['return_to', 'datasource', 'from', 'still'])(
  'hostile names are escaped when they come as %s',
  async (name) => {
    const mallory = await site.arrive({ person: 'mallory' })
    for (const payload of PAYLOADS.slice(0, 4)) {
      await mallory.open(`/onboarding?${name}=${encodeURIComponent(payload)}`)
      await expectNoIntruder(mallory)
    }
    expect(await mallory.page.title()).toMatch(/- Search setup$/)
  },
)
