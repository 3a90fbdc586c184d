// Where replacements lie in a body: a field inside a named replacement is not the deprecated one of the same name.
// Pure. `ChannelInviteInfo` may be written in any case and style, and in the plural where there are several.
import type { Entry } from '../schedule/schedule.ts'

const path = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/

/** The names in a replacement as paths: `a.b and C.d (a remark)` has two. Free text has none. */
const pathsIn = (replacement: string): string[][] => {
  const parts = replacement
    .replace(/\s*\([^)]*\)\s*$/, '')
    .split(/\s*[,/]\s*|\s+(?:and|or)\s+/)
    .filter((part) => part !== '')
  return parts.every((part) => path.test(part)) ? parts.map((part) => part.split('.')) : []
}

/** A name without case and style: `channel_invite_info` and `ChannelInviteInfo` are one. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

const MAX_KNOWN = 2_000

/** Tells whether a member is a replacement named by any of these entries. */
export const replacementsOf = (entries: readonly Entry[]): ((name: string) => boolean) => {
  const last = entries.flatMap(({ replacement }) =>
    pathsIn(replacement ?? '').map((steps) => plainName(steps.at(-1) ?? '')),
  )
  const names = new Set(last.flatMap((name) => [name, `${name}s`]))
  for (const entry of entries) if (entry.kind === 'field') names.delete(plainName(entry.field))
  if (names.size === 0) return () => false
  // Bodies repeat few names many times over; what is data comes without end, so the memory is bounded.
  const known = new Map<string, boolean>()
  return (name) => {
    const answer = known.get(name) ?? names.has(plainName(name))
    if (known.size < MAX_KNOWN) known.set(name, answer)
    return answer
  }
}

/** Whether the names that lead to a field are its own replacement's: `answer.trackingToken` replaces `trackingToken`. */
export const isOwnReplacement = ({ replacement }: Entry, names: readonly string[]): boolean =>
  pathsIn(replacement ?? '').some(
    (steps) =>
      steps.length > 1 &&
      steps.length <= names.length &&
      steps.every((step, index) => plainName(step) === plainName(names.at(index - steps.length) ?? '')),
  )
