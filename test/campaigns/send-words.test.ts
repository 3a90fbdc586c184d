// What a run says at its end where the service told what is left of no one.
import { expect, it } from 'vitest'
import { newTally, type Tally } from '../../src/campaigns/tally.ts'
import { sumUp } from '../../src/cli/invite/send-words.ts'

function lastLine(counts: Partial<Tally>): string | undefined {
  const lines: string[] = []
  const out = { write: (text: string | Uint8Array) => lines.push(String(text)) > 0 }
  const asked = {
    options: { isJson: false, isDryRun: false },
    parts: { stdout: out, stderr: out },
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof sumUp>[0]
  sumUp(asked, { tally: { ...newTally(), ...counts }, stopped: undefined, endedBy: undefined })
  return lines.join('').trimEnd().split('\n').at(-1)
}

it.each([
  [{ asked: 2, unknownToService: 2 }, "The service doesn't know any of these people."],
  [{ asked: 2, refusedByService: 2 }, 'The service answered, and refused to look up 2 of 2 (403): check'],
  [
    { asked: 3, unknownToService: 1, refusedByService: 2 },
    "refused to look up 2 of 3 (403), and doesn't know the other 1: check what SERVICE_GLOBAL_TOKEN may do.",
  ],
])('of %j it says why', (counts, words) => {
  expect(lastLine(counts)).toContain(words)
})

it('says nothing of the kind where the service told what is left of anyone', () => {
  expect(lastLine({ asked: 1, unanswered: 1, already: 37 })).not.toContain('of no one')
  expect(lastLine({ asked: 1, unanswered: 1 })).toContain("The service didn't say what's left")
  expect(lastLine({ asked: 3, refusedByService: 2 })).not.toMatch(/service (answered|knows)/i)
})
