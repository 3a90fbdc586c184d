// Checks content as if it were a file, and gives the report as the programs get it.
import { deprecations, fileOf } from '../helpers/deprecations.ts'

type Item = {
  id: string
  count: number
  confidence: string
  firstSeen?: string
  lastSeen?: string
  elsewhere: number
  places: { file: string; line?: number; record?: string; side?: string; pointer?: string; count: number }[]
}
export type Report = { inUse: Item[]; mayBeInUse: Item[]; waived: Item[]; requests: number; faults: number }

export const check = async (content: string | Uint8Array, name = 'traffic.ndjson', ...args: string[]) => {
  // What is in use is told by the exit code alone, unless a test asks otherwise.
  const level = args.includes('--fail-on') ? [] : ['--fail-on', 'use']
  const ran = await deprecations(['check', fileOf(name, content), '--json', ...level, ...args])
  return { ...ran, report: JSON.parse(ran.out) as Report }
}
export const idsOf = (items: Item[]) => items.map(({ id }) => id)

export const chat = { method: 'POST', url: 'https://a/rest/api/v1/chat', request: {} }
export const citing = { ...chat, response: { messages: [{ citations: [{ text: 'SECRET' }] }] } }

/** Checks content in every way that matters for something that could not be read. */
export async function standingOf(content: string | Uint8Array, name: string, id = 'chat.citations') {
  const file = fileOf(name, content)
  const { report, err } = await check(content, name)
  const text = await deprecations(['check', file, '--fail-on', 'use'])
  const asked = await deprecations(['check', file])
  return {
    inUse: idsOf(report.inUse),
    isPossible: idsOf(report.mayBeInUse).includes(id) && /may be in use/i.test(text.out),
    isCalledClean: text.out.includes('Nothing deprecated is in use'),
    code: text.code,
    fails: asked.code > 1,
    leaks: (text.out + text.err + err).includes('SECRET'),
  }
}
/** What is said of something that may be in use, when nothing else is. */
export const possibleWith = (code: number) => ({
  inUse: [],
  isPossible: true,
  isCalledClean: false,
  code,
  fails: true,
  leaks: false,
})
