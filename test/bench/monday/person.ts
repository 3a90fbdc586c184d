// What one person does, by their plan: opens the link, signs in, goes from app to app, finishes. And what they were told.
import { setTimeout as sleep } from 'node:timers/promises'
import { Tab, type World } from './browser.ts'
import type { App, Plan } from './plans.ts'

export type Told = {
  person: number
  /** App -> what the last page calls it: the name of its row's class. */
  shown: Record<string, string>
  status: { connected: number; pending: number; skipped: number } | undefined
  /** Why the person gave up; undefined: they came to the end. */
  stuck?: string
}

const MAX_PAGES = 80
const MAX_THINKING_MS = 400
const HOME = { site: 'none' } as const
const CLICK = { site: 'same-origin' } as const

const think = () => sleep(Math.random() * MAX_THINKING_MS)

/** @param leavesAt closes the browser at this app's page @returns whether it came to the end */
async function walk(tab: Tab, plan: Plan, tried: Set<App>, leavesAt?: App): Promise<boolean> {
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { text, refresh } = tab.page
    const consent = /data-consent="(\w+)" data-token="([^"]*)"/.exec(text)
    const step = /<section class="step (\w+)" data-app="(\w+)"[\s\S]*?<a class="button" href="([^"]*)"/.exec(
      text,
    )
    await think()
    if (consent !== null) {
      const [, app, token] = consent as unknown as [string, App, string]
      if (app === leavesAt) return false
      const url = new URL(`/consent?token=${token}&answer=${answerFor(plan, app, tried)}`, tab.page.url)
      tried.add(app)
      await tab.open(url.href, { site: 'cross-site' })
    } else if (step !== null && step[1] !== 'wait') {
      const [, , app, href] = step as unknown as [string, string, App, string]
      const choice = plan.choices[app]
      if (choice === 'skip' || (choice === 'deny then skip' && tried.has(app)))
        await tab.open(`/onboarding/skip/${app}`, { ...CLICK, method: 'POST' })
      else await tab.open(href.replaceAll('&amp;', '&'), CLICK)
    } else if (refresh !== undefined) {
      await sleep(refresh.seconds * 1000)
      await tab.open(refresh.path, CLICK)
    } else return true
  }
  throw new Error(`person ${plan.person} comes to no end`)
}

/** The walk leads on by itself, so that it also comes to apps that the person does not want: these say no there. */
function answerFor({ choices }: Plan, app: App, tried: ReadonlySet<App>): 'allow' | 'slow' | 'deny' {
  const choice = choices[app]
  if (choice === 'slow') return 'slow'
  const isUnwanted = choice === 'skip' || choice === 'deny then skip'
  return isUnwanted || (choice === 'deny then allow' && !tried.has(app)) ? 'deny' : 'allow'
}

/** Two tabs of one browser, each at an app of its own at the same moment. */
async function walkInTwoTabs(world: World, plan: Plan, tab: Tab, jar: Map<string, string>): Promise<void> {
  const links = [...tab.page.text.matchAll(/href="(\/onboarding\/connect\/\w+)"/g)].map(
    ([, href = '']) => href,
  )
  const second = new Tab(world, plan.person, jar)
  await second.open('/onboarding', HOME)
  const tried = new Set<App>()
  const tabs = [tab, second].map(async (one, index) => {
    const href = [...new Set(links)][index]
    if (href !== undefined) await one.open(href, CLICK)
    await walk(one, plan, tried)
  })
  await Promise.all(tabs)
}

/** The whole morning of one person. */
export async function live(world: World, plan: Plan): Promise<Told> {
  let jar = new Map<string, string>()
  let tab = new Tab(world, plan.person, jar)
  const told: Told = { person: plan.person, shown: {}, status: undefined }
  try {
    await tab.open('/onboarding', HOME)
    const tried = new Set<App>()
    if (plan.leaves !== undefined && !(await walk(tab, plan, tried, plan.leaves.app))) {
      await sleep(plan.leaves.seconds * 1000)
      jar = new Map<string, string>()
      tab = new Tab(world, plan.person, jar)
      await tab.open('/onboarding', HOME)
    }
    if (plan.hasTwoTabs) {
      await walkInTwoTabs(world, plan, tab, jar)
      await tab.open('/onboarding', HOME)
    }
    await walk(tab, plan, tried)
    return await lookOnceMore(tab, told)
  } catch (error) {
    return { ...told, stuck: (error as Error).message }
  }
}

const ROW = /<li class="entry (\w+)" data-app="(\w+)"/g

async function lookOnceMore(tab: Tab, told: Told): Promise<Told> {
  for (const [, kind = '', app = ''] of tab.page.text.matchAll(ROW)) told.shown[app] = kind
  for (let tries = 0; tries < 30 && told.status === undefined; tries++) {
    told.status = await tab.status()
    if (told.status === undefined) await sleep(1_000)
  }
  return told
}
