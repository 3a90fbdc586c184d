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
const SETTINGS = { auto: {}, confirm: { ADVANCE: 'confirm', CONFIRM_SECONDS: '1' } }

const people = newcomers(12)

export type Walk = {
  title: string
  advance: keyof typeof SETTINGS
  /** True if the test needs the back button. */
  goesBack?: boolean
  act: (ada: Person, running: Running) => Promise<void>
}

/** Defines each walk as a test in each engine; skipped, with what is missing, where it isn't installed. */
export function walkInEachEngine(walks: Walk[]): void {
  describe.each(ENGINES)('the walk in $name $lacks', ({ open, lacks, ...engine }) => {
    const isHere = lacks === ''
    let browser: Engine
    let servers: Record<keyof typeof SETTINGS, Running>

    beforeAll(async () => {
      if (!isHere) return
      const [opened, auto, confirm] = await Promise.all([
        open(),
        runOnThreeSites({ settings: SETTINGS.auto, sandbox: { people } }),
        runOnThreeSites({ settings: SETTINGS.confirm, sandbox: { people } }),
      ])
      browser = opened
      servers = { auto, confirm }
    })
    afterAll(async () => {
      if (!isHere) return
      await browser.close()
      await Promise.all([servers.auto.close(), servers.confirm.close()])
    })

    const possible = walks.filter((walk) => engine.goesBack || walk.goesBack !== true)
    it.skipIf(!isHere).each(possible)(
      '$title',
      async ({ title, advance, act }) => {
        const person = people[walks.findIndex((walk) => walk.title === title)]?.id ?? ''
        const ada = await Person.arrive(browser, servers[advance], person)
        const walking = act(ada, servers[advance]).finally(() => ada.leave())
        await expect(walking).resolves.toBeUndefined()
      },
      60_000,
    )
  })
}
