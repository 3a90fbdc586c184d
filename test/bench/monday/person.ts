// One person's morning, by their plan: open the link, sign in, walk from app to app, finish, and record the pages.
import { setTimeout as sleep } from 'node:timers/promises'
import { CookieJar } from '../../helpers/cookie-jar.ts'
import { Tab, type Network, type StatusCounts } from './browser.ts'
import type { App, Plan } from './plans.ts'

export type Outcome = {
  /** App -> the class of its row on the last page. */
  shown: Record<string, string>
  status: StatusCounts | undefined
  stuck?: string
}

const MAX_PAGES = 80
const MAX_THINKING_MS = 400
const HOME = { site: 'none' } as const
const CLICK = { site: 'same-origin' } as const

/** @param leavesAt closes the browser at this app's page @returns whether it came to the end */
async function walk(tab: Tab, plan: Plan, tried: Set<App>, leavesAt?: App): Promise<boolean> {
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { text, refresh } = tab
    const consent = /data-consent="(\w+)" data-token="([^"]*)"/.exec(text)
    const step = /<section class="step (\w+)" data-app="(\w+)"[\s\S]*?<a class="button" href="([^"]*)"/.exec(
      text,
    )
    await sleep(Math.random() * MAX_THINKING_MS)
    if (consent !== null) {
      const [, app, token] = consent as unknown as [string, App, string]
      if (app === leavesAt) return false
      const url = new URL(`/consent?token=${token}&choice=${choiceAt(plan, app, tried)}`, tab.url)
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

/** The walk also leads on to apps that the person does not want: these are denied there. */
function choiceAt({ choices }: Plan, app: App, tried: ReadonlySet<App>): 'allow' | 'slow' | 'deny' {
  const choice = choices[app]
  if (choice === 'slow') return 'slow'
  const isUnwanted = choice === 'skip' || choice === 'deny then skip'
  return isUnwanted || (choice === 'deny then allow' && !tried.has(app)) ? 'deny' : 'allow'
}

/** Two tabs of one browser, each at an app of its own at the same moment. */
async function walkInTwoTabs(tabs: readonly [Tab, Tab], plan: Plan): Promise<void> {
  const links = tabs[0].text.matchAll(/href="(\/onboarding\/connect\/\w+)"/g)
  const hrefs = [...new Set([...links].map(([, href = '']) => href))]
  await tabs[1].open('/onboarding', HOME)
  const tried = new Set<App>()
  const walking = tabs.map(async (tab, index) => {
    const href = hrefs[index]
    if (href !== undefined) await tab.open(href, CLICK)
    await walk(tab, plan, tried)
  })
  await Promise.all(walking)
}

export async function live(network: Network, plan: Plan): Promise<Outcome> {
  const { person, leaves, hasTwoTabs } = plan
  let jar = new CookieJar()
  let tab = new Tab(network, person, jar)
  try {
    await tab.open('/onboarding', HOME)
    const tried = new Set<App>()
    if (leaves !== undefined && !(await walk(tab, plan, tried, leaves.app))) {
      await sleep(leaves.seconds * 1000)
      jar = new CookieJar()
      tab = new Tab(network, person, jar)
      await tab.open('/onboarding', HOME)
    }
    if (hasTwoTabs) {
      await walkInTwoTabs([tab, new Tab(network, person, jar)], plan)
      await tab.open('/onboarding', HOME)
    }
    await walk(tab, plan, tried)
    return await outcomeAt(tab)
  } catch (error) {
    return { shown: {}, status: undefined, stuck: (error as Error).message }
  }
}

async function outcomeAt(tab: Tab): Promise<Outcome> {
  const rows = tab.text.matchAll(/<li class="entry (\w+)" data-app="(\w+)"/g)
  const shown = Object.fromEntries([...rows].map(([, kind = '', app = '']) => [app, kind]))
  for (let tries = 0; tries < 30; tries++) {
    const status = await tab.status()
    if (status !== undefined) return { shown, status }
    await sleep(1_000)
  }
  return { shown, status: undefined }
}
