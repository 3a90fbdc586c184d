// Fixture: a person with a browser of any engine, what they read and click.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../../helpers/running.ts'
import type { Engine, Profile, Tab } from './engine.ts'

const PATIENCE_MS = 15_000
const PAUSE_MS = 50

const quoted = (text: string) => JSON.stringify(text)

export class Person {
  readonly id: string
  readonly running: Running
  readonly #profile: Profile
  /** The current tab. */
  readonly tab: Tab

  private constructor(id: string, running: Running, profile: Profile, tab: Tab) {
    this.id = id
    this.running = running
    this.#profile = profile
    this.tab = tab
  }

  static async arrive(engine: Engine, running: Running, id: string): Promise<Person> {
    const profile = await engine.arrive()
    return new Person(id, running, profile, profile.tab)
  }

  leave(): Promise<void> {
    return this.#profile.leave()
  }

  /** The same person at a further tab. */
  async another(): Promise<Person> {
    return new Person(this.id, this.running, this.#profile, await this.tab.another())
  }

  /** Waits until the expression is true in the current page. */
  async until(expression: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS
    // A page that is being unloaded can't be evaluated.
    while (!(await this.tab.ask<boolean>(expression).catch(() => false))) {
      if (Date.now() > end) throw new Error(`${expression} never held:\n${await this.sees()}`)
      await sleep(PAUSE_MS)
    }
  }

  /** The URL and the text of the page, one line each. */
  sees(): Promise<string> {
    return this.tab.ask("location.href + '\\n' + document.body.innerText.replaceAll(/\\s+/g, ' ')")
  }

  reads(text: string): Promise<void> {
    return this.until(`document.body.innerText.replaceAll(/\\s+/g, ' ').includes(${quoted(text)})`)
  }

  /** Waits for an element, opens the disclosures around it, and clicks it. */
  async press(selector: string): Promise<void> {
    const element = `document.querySelector(${quoted(selector)})`
    await this.until(`document.readyState === 'complete' && ${element} !== null`)
    const folded = `${element}.closest('details:not([open])')`
    while (await this.tab.ask<boolean>(`${folded} !== null`)) {
      await this.tab.ask(`${folded}.firstElementChild.id = 'unfolded-next'`)
      await this.tab.click('#unfolded-next')
      await this.until(
        `!document.querySelector('#unfolded-next')?.parentElement.matches('details:not([open])')`,
      )
      await this.tab.ask(`document.querySelector('#unfolded-next')?.removeAttribute('id')`)
    }
    await this.tab.click(selector)
  }

  /** Opens a path of ours and signs in. */
  async enter(path = '/onboarding'): Promise<void> {
    await this.tab.open(this.running.url + path)
    await this.chooseAccount()
  }

  async chooseAccount(): Promise<void> {
    await this.press(`button[name=person][value="${this.id}"]`)
    await this.until(`location.href.startsWith(${quoted(`${this.running.url}/`)})`)
  }

  connect(instance: string): Promise<void> {
    return this.press(`a[href="/onboarding/connect/${instance}"]`)
  }

  /** Decides on the consent page of this app. */
  async answer(app: string, what: 'allow' | 'deny'): Promise<void> {
    await this.reads(`content you can access in ${app}.`)
    await this.press(`form[action$="/${what}"] button`)
  }
}
