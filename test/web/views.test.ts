// The templates and the stylesheet: missing values fail, printed values are escaped, and the size is limited.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { noDescription } from '../helpers/no-description.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { applyCheck, newWalk } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import { createViews } from '../../src/web/views.ts'
import { createBrand } from '../../src/web/brand.ts'
import { neutralCompany } from '../../src/company/company.ts'

const VIEWS = fileURLToPath(new URL('../../views', import.meta.url))
const NOW = Date.UTC(2026, 10, 21)

/** The data that compose.ts gives to every view, and pages.ts to every page. */
const frame = {
  stylesheet: '/assets/onramp.css',
  colors: '/assets/company/brand.css',
  icon: '/assets/icon.svg',
  brand: createBrand(neutralCompany)(t),
  initials: 'AL',
  windowTitle: (title: string) => title,
  languages: '',
  t,
  person: 'ada@acme.example',
  isAdmin: false,
  sheet: undefined,
  isReloadStopped: false,
}

const apps = ['slack_1', 'jira_1'].map((name) => ({ instance: name, name, status: 'awaiting' as const }))
const overview = overviewOf(applyCheck(newWalk(NOW), apps, NOW, 90), {
  now: NOW,
  t,
  person: 'ada@acme.example',
  from: undefined,
  isAutomatic: true,
  describe: () => noDescription,
  approvals: [],
  confirmSeconds: 90,
})

const pages: Record<string, Record<string, unknown>> = {
  'onboarding/overview': { ...frame, ...overview, script: '/assets/walk.js' },
  'search/results': {
    ...frame,
    title: 'Search',
    query: '',
    heading: 'One result',
    script: '/assets/walk.js',
    results: [{ title: 'Roadmap', url: undefined, snippet: 'What we build', datasource: undefined }],
  },
  'sign-in/confirmed': frame,
  'sign-in/same-account': { ...frame, account: 'ada@acme.example', returnTo: '/onboarding' },
  'sign-in/signed-out': { ...frame, isOnDevice: false, isOverThere: false, refresh: undefined },
  'sign-in/signed-in-again': frame,
  'sign-in/signing-out': frame,
  'web/problem': {
    ...frame,
    title: 'Not now',
    advice: 'Try again.',
    tryAgain: undefined,
    refresh: undefined,
    stop: undefined,
    reference: 'abc',
    code: 'internal',
    needsHelp: false,
    overviewFailsToo: false,
  },
}

/** Data that no view has to print: for headers of the response, or for future views. */
const NOT_PRINTED: Record<string, string[]> = {
  'onboarding/overview': ['refresh'],
  'web/problem': ['refresh'],
}
/** Only a waiting overview has a link that stops polling. */
const IN_SOME_STATES = new Set(['isReloadStopped'])

const render = createViews(VIEWS)

it.each(Object.keys(pages))('the view %s renders with its data', (view) => {
  const html = render(view, pages[view] ?? {})
  expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
  expect(html).not.toMatch(/undefined|\[object/)
  expect(html).not.toMatch(/<%|%>/)
})

it.each(Object.keys(pages))('the view %s fails if any name that it uses is missing', (view) => {
  const data = pages[view] ?? {}
  const silent = Object.keys(data).filter((name) => {
    const { [name]: _left, ...rest } = data
    try {
      render(view, rest)
      return true
    } catch {
      return false
    }
  })
  expect(silent.filter((name) => !IN_SOME_STATES.has(name))).toEqual(NOT_PRINTED[view] ?? [])
})

it.each([
  ['https://intranet.acme.example/welcome', 'Back to the intranet'],
  ['https://wiki.acme.example/', 'Back to wiki.acme.example'],
])('the return link of the overview to %s is called %s', (returnTo, label) => {
  const home = { href: 'https://intranet.acme.example/', label: 'Back to the intranet' }
  const data = { ...pages['onboarding/overview'], brand: { ...frame.brand, home } }
  const link = { href: returnTo, label: `Back to ${new URL(returnTo).host}`, host: new URL(returnTo).host }
  const html = createViews(VIEWS)('onboarding/overview', { ...data, returnTo: link })
  expect(html).toContain(`href="${returnTo}" rel="noreferrer">${label}</a>`)
})

it('the error page of a failure that people can’t fix offers the company’s help first', () => {
  const help = { href: 'https://intranet.acme.example/search', label: 'Ask the search team' }
  const buttonsWith = (own: object) => {
    const html = createViews(VIEWS)('web/problem', { ...pages['web/problem'], needsHelp: true, ...own })
    return [...html.matchAll(/<a class="(button[^"]*)" href="([^"]*)"/g)].map(([, name, to]) => [name, to])
  }

  expect(buttonsWith({ brand: { ...frame.brand, help } })).toEqual([
    ['button', help.href],
    ['button secondary', '/onboarding'],
  ])
  expect(buttonsWith({ brand: { ...frame.brand, help: undefined } })).toEqual([['button', '/onboarding']])

  // If the overview would fail, too, the link leads to the intranet.
  const home = { href: 'https://intranet.acme.example/', label: 'Back to the intranet' }
  const [, back] = buttonsWith({ brand: { ...frame.brand, help, home }, overviewFailsToo: true })
  expect(back).toEqual(['button secondary', home.href])
  expect(buttonsWith({ brand: { ...frame.brand, help }, needsHelp: false })).toHaveLength(1)
})

describe('printed values', () => {
  const folder = useFolder()
  writeFileSync(join(folder, 'one.eta'), '<p title="<%= it.name %>"><%= it.name %></p>')
  writeFileSync(join(folder, 'deep.eta'), '<p><%= it.person.name %></p>')
  writeFileSync(join(folder, 'outer.eta'), "<%~ include('/one', { }) %>")

  it('values in views are escaped in text and in attributes', () => {
    const html = createViews(folder)('one', { name: `"'><b>&amp;</b>` })
    expect(html).toBe(
      '<p title="&quot;&#39;&gt;&lt;b&gt;&amp;amp;&lt;/b&gt;">&quot;&#39;&gt;&lt;b&gt;&amp;amp;&lt;/b&gt;</p>',
    )
  })

  it.each([undefined, null, {}, [], () => 'x', Symbol('x'), true])(
    'a view prints strings and numbers, but not %s',
    (name) => {
      expect(() => createViews(folder)('one', { name })).toThrow(/is not text|Symbol/)
    },
  )

  it('a missing value fails in a view, below it and in an included view', () => {
    const renderFrom = createViews(folder)
    expect(() => renderFrom('one', {})).toThrow(/name/)
    expect(() => renderFrom('deep', { person: {} })).toThrow('prints undefined')
    expect(() => renderFrom('outer', {})).toThrow('needs "name"')
  })
})

const sheets = readdirSync(join(VIEWS, 'assets')).filter((file) => file.endsWith('.css'))
const css = sheets.map((file) => readFileSync(join(VIEWS, 'assets', file), 'utf8')).join('\n')
const declarations = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/@media[^{]*/g, '')

it('the stylesheet weighs at most 6 kB over the wire, and loads nothing else', () => {
  // A page loads the common stylesheet and at most one more.
  const bytes = (file: string) => brotliCompressSync(readFileSync(join(VIEWS, 'assets', file))).length
  const common = bytes('onramp.css')
  for (const file of sheets)
    expect(file === 'onramp.css' ? common : bytes(file) + common, file).toBeLessThanOrEqual(6 * 1024)
  expect(css).not.toMatch(/@import|url\(|@font-face/)
})

it('the stylesheet has logical properties only, so that right-to-left languages can follow', () => {
  const physical =
    /(?<![\w-])((margin|padding|border|inset)-(top|right|bottom|left)[\w-]*|(min-|max-)?(width|height)|top|right|bottom|left)\s*:|(text-align|float)\s*:\s*(left|right)/g
  expect(declarations.match(physical) ?? []).toEqual([])
})
