// The pages of admins with many people pass the checks of every page (examine.ts).
import { beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { crowdOf, storePeople } from '../helpers/crowd.ts'
import { brokenWords, findingsOf } from './examine.ts'
import { useSite, type Visitor } from './visitor.ts'

const options = () => ({ settings: { ADMIN_EMAILS: 'grace@acme.example' } })
const [site, empty] = [useSite(options), useSite(options)]
beforeAll(() => storePeople(site.running, crowdOf(600, Date.now())))

const cases = [
  { title: 'Rollout progress', path: '/admin' },
  { title: 'People', path: '/admin/people' },
  { title: 'People', path: '/admin/people?q=nobody-is-called-so&show=finished' },
  { title: 'People', path: '/admin/people?show=blocked&app=slack_6&group=شؤون الموظفين' },
  { title: 'Departments', path: '/admin/departments?sort=-people' },
  { title: 'Apps', path: '/admin/apps?sort=name' },
]

/** @param isWide also checked in wide windows */
async function passes(visitor: Visitor, path: string, title: string, isWide = true): Promise<void> {
  const { page } = visitor
  const html = (await (await page.goto(visitor.running.url + path))?.text()) ?? ''
  expect(await page.title()).toMatch(new RegExp(`^${title}\\b.* - `))
  expect(await findingsOf(page, html, { isWide })).toEqual([])
  expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
  expect(visitor.complaints).toEqual([])
}

describe('every page of admins', () => {
  let [grace, first]: Visitor[] = []
  beforeAll(async () => {
    ;[grace, first] = await Promise.all([site, empty].map((one) => one.arrive({ person: 'grace' })))
    for (const visitor of [grace, first]) await visitor?.open('/admin')
  })

  it.each(cases)('a page of admins is accessible and valid: $path', async ({ path, title }) => {
    await expect(passes(grace as Visitor, path, title)).resolves.toBeUndefined()
  })

  it.each(cases)('a page without people is accessible and valid: $path', async ({ path, title }) => {
    await expect(passes(first as Visitor, path, title, false)).resolves.toBeUndefined()
  })
})

it('the list links to a person’s page, which is accessible and valid', async () => {
  const grace = await site.arrive({ person: 'grace' })
  await grace.open('/admin/people?show=blocked')
  const href = await grace.page.locator('tbody th a').first().getAttribute('href')
  await expect(passes(grace, href ?? '', '')).resolves.toBeUndefined()
  await grace.leave()
})

/** Words of commands that are on two lines. */
const BROKEN_COMMANDS = `[...document.querySelectorAll('code')].flatMap((code) => {
  const [words, range] = [document.createTreeWalker(code, NodeFilter.SHOW_TEXT), document.createRange()]
  const broken = []
  for (let text = words.nextNode(); text !== null; text = words.nextNode())
    for (const { index, 0: word } of text.data.matchAll(/\\S+/g)) {
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
    }
  return broken
})`

it('commands break at their spaces on a phone', async () => {
  const grace = await empty.arrive({ person: 'grace' })
  await grace.open('/admin')

  for (let width = 320; width <= 390; width += 10) {
    await grace.page.setViewportSize({ width, height: 800 })
    expect(await grace.page.evaluate(BROKEN_COMMANDS), `${width}`).toEqual([])
  }
  await grace.leave()
})

it('before anyone was invited, an admin sees only the first steps', async () => {
  const grace = await empty.arrive({ person: 'grace' })
  await grace.open('/admin')
  await grace.reads('npm run onramp -- keep PEOPLE.csv --dry-run')
  expect(await grace.text()).not.toMatch(/From invited|Nothing needs you|Trend|Export CSV|Done/)
  await grace.open('/admin/people?q=no-one-is-called-so')
  await grace.choose('link', 'Clear filters')
  expect(grace.page.url()).toBe(`${empty.running.url}/admin/people`)
})

const HEADINGS_OF_TWO_LINES = `[...document.querySelectorAll('thead th')]
  .filter((cell) => cell.getBoundingClientRect().height > 45).map((cell) => cell.textContent)`

/** Cells that overlap the next one. */
const OVERLAPPING = `[...document.querySelectorAll('.wide-table :is(th, td)')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent.trim())`

/** Labels of the drawing that are smaller than ten pixels, or stick out of its card. */
const UNREADABLE = `(() => {
  const card = document.querySelector('section[aria-labelledby=plot]')?.getBoundingClientRect()
  return [...document.querySelectorAll('.plot-ticks span, .plot-span span, .legend li')].filter((label) => {
    const box = label.getBoundingClientRect()
    const size = parseFloat(getComputedStyle(label).fontSize)
    return size < 10 || box.left < card.left || box.right > card.right
  }).map((label) => label.textContent)
})()`

const at = async (page: Page, width: number) => {
  await page.setViewportSize({ width, height: 800 })
  const broken = await brokenWords(page, '.wide-table :is(th, td)')
  const faults = [HEADINGS_OF_TWO_LINES, UNREADABLE, OVERLAPPING].map((faulty) => page.evaluate(faulty))
  return [broken, ...(await Promise.all(faults))].flat()
}

it('admin tables and charts break no words on a phone', async () => {
  const grace = await site.arrive({ person: 'grace' })
  for (const path of ['/admin', '/admin/people?show=waiting', '/admin/departments', '/admin/apps']) {
    await grace.open(path)
    for (const width of [320, 360, 768, 1280])
      expect(await at(grace.page, width), `${path} ${width}`).toEqual([])
  }
})
