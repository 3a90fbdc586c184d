// Defines the same tests for each of three engines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOnThreeSites } from '../../helpers/chromium.ts'
import type { Running } from '../../helpers/running.ts'
import { newcomers } from '../ways.ts'
import { missing, type Engine } from './engine.ts'
import { Person } from './person.ts'
import { chromiumNeeds, firefoxNeeds, openChromium, openFirefox } from './puppeteer.ts'
import { openWebkit, webkitNeeds } from './webkit.ts'

const ENGINES = [
  { name: 'Chromium', goesBack: true, needs: chromiumNeeds, open: openChromium },
  { name: 'Firefox', goesBack: true, needs: firefoxNeeds, open: () => openFirefox() },
  // WebKit's driver (2.50) hangs on “Back” after redirects between sites.
  { name: 'WebKit', goesBack: false, needs: webkitNeeds, open: openWebkit },
].map((engine) => ({ ...engine, lacks: missing(engine.needs) ?? '' }))

/** Goes straight on after a return, or shows a page in between and gives up waiting after a second. */
const WORLDS = { auto: {}, stepwise: { ADVANCE: 'confirm', CONFIRM_SECONDS: '1' } }

const people = newcomers(12)

export type Walk = {
  title: string
  world: keyof typeof WORLDS
  /** True if the test needs the back button. */
  goesBack?: boolean
  act: (ada: Person, running: Running) => Promise<void>
}

/** Defines each walk as a test in each engine; skipped, with what is missing, where it isn't installed. */
export function walkInEachEngine(walks: Walk[]): void {
  describe.each(ENGINES)('the walk in $name $lacks', ({ open, lacks, ...engine }) => {
    const isHere = lacks === ''
    let browser: Engine
    let worlds: Record<keyof typeof WORLDS, Running>

    beforeAll(async () => {
      if (!isHere) return
      const [opened, auto, stepwise] = await Promise.all([
        open(),
        runOnThreeSites({ settings: WORLDS.auto, sandbox: { people } }),
        runOnThreeSites({ settings: WORLDS.stepwise, sandbox: { people } }),
      ])
      browser = opened
      worlds = { auto, stepwise }
    })
    afterAll(async () => {
      if (!isHere) return
      await browser.close()
      await Promise.all([worlds.auto.close(), worlds.stepwise.close()])
    })

    const possible = walks.filter((walk) => engine.goesBack || walk.goesBack !== true)
    it.skipIf(!isHere).each(possible)(
      '$title',
      async ({ title, world, act }) => {
        const person = people[walks.findIndex((walk) => walk.title === title)]?.id ?? ''
        const ada = await Person.arrive(browser, worlds[world], person)
        const walking = act(ada, worlds[world]).finally(() => ada.leave())
        await expect(walking).resolves.toBeUndefined()
      },
      60_000,
    )
  })
}
