// Prints the progress of a run: a line redrawn on a terminal (elsewhere an occasional line), and lines for problems.
import type { Output } from '@onramp/terminal/command-context'
import { fitToColumns } from '@onramp/terminal/terminal'
import { progressLine, type Tally } from '../../campaigns/tally.ts'

const TERMINAL_MS = 250
const ELSEWHERE_MS = 30_000
const MIN_PAUSE_SECONDS = 60

export class RunProgress {
  readonly #line: () => string
  readonly #stderr: Output
  readonly #timer: NodeJS.Timeout
  #isShown = false
  #wasThrottled = false

  constructor(tally: Tally, people: number, stderr: Output) {
    this.#line = () => progressLine(tally, people)
    this.#stderr = stderr
    this.#timer = setInterval(() => this.#draw(), stderr.isTTY === true ? TERMINAL_MS : ELSEWHERE_MS).unref()
  }

  print(text: string, output = this.#stderr): void {
    this.#clear()
    output.write(text)
  }

  onServicePause(seconds: number): void {
    if (seconds >= MIN_PAUSE_SECONDS)
      this.print(`The service requested a pause of ${Math.ceil(seconds / 60)} minutes…\n`)
  }

  onThrottle(seconds: number, reply: string): void {
    if (!this.#wasThrottled || seconds >= MIN_PAUSE_SECONDS)
      this.print(`The mail server is throttling: ${reply}. Waiting ${seconds} s…\n`)
    this.#wasThrottled = true
  }

  end(): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #clear(): void {
    if (this.#isShown) this.#stderr.write('\r\u001B[K')
    this.#isShown = false
  }

  #draw(): void {
    const line = this.#line()
    if (this.#stderr.isTTY !== true) return void this.#stderr.write(`${line}\n`)
    this.#clear()
    this.#stderr.write(fitToColumns(line, Math.max(20, (this.#stderr.columns ?? 80) - 1)).trimEnd())
    this.#isShown = true
  }
}
