// The simulated clock, minute by minute. Events of the same minute happen in the order of their scheduling.
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

type Event = () => Promise<void> | void

export class Calendar {
  now: number
  readonly #minutes = new Map<number, Event[]>()
  #minute: number
  #until: number
  #line = Promise.resolve()

  constructor(startsAt: number) {
    this.now = startsAt
    this.#until = startsAt
    this.#minute = Math.floor(startsAt / MINUTE)
  }

  /** @param at milliseconds since 1970; a past time means the next minute */
  at(at: number, event: Event): void {
    const minute = Math.max(this.#minute + 1, Math.floor(at / MINUTE))
    const known = this.#minutes.get(minute)
    if (known === undefined) this.#minutes.set(minute, [event])
    else known.push(event)
  }

  /** Advances the clock, and runs the events in between. */
  async pass(milliseconds: number): Promise<void> {
    this.#until += milliseconds
    if (Math.floor(this.#until / MINUTE) > this.#minute) {
      this.#line = this.#line.then(() => this.#catchUp())
      await this.#line
    }
    this.now = this.#until
  }

  async #catchUp(): Promise<void> {
    while (this.#minute < Math.floor(this.#until / MINUTE)) {
      const minute = ++this.#minute
      this.now = Math.max(this.now, minute * MINUTE)
      const events = this.#minutes.get(minute) ?? []
      this.#minutes.delete(minute)
      for (const event of events) await event()
    }
  }
}
