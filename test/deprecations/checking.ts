// Fixture: checks content as if it were a file. @returns the JSON report
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

export const idsOf = (items: Item[]) => items.map(({ id }) => id)

export const check = async (content: string | Uint8Array, name = 'traffic.ndjson', ...args: string[]) => {
  const ran = await deprecations(['check', fileOf(name, content), '--json', ...args])
  return { ...ran, report: JSON.parse(ran.out) as Report }
}

/** The exit code of a check, and the ids of items that are, or may be, in use. */
export const outcome = async (content: string | Uint8Array, name?: string) => {
  const { code, report } = await check(content, name)
  return [code, idsOf(report.inUse), idsOf(report.mayBeInUse)]
}

export const chat = { method: 'POST', url: 'https://a/rest/api/v1/chat', request: {} }
export const citing = { ...chat, request: { messages: [{ citations: [{ text: 'SECRET' }] }] } }
