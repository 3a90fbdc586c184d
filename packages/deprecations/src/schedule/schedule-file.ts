// The file format of a schedule, one truth for reading it and for the JSON Schema that is published of it.
// A file adds to the schedule that comes with onramp; an entry with a known id replaces that entry.
import { z } from 'zod'
import { faultsIn, type Schedule } from './schedule.ts'
import { readJsonFile } from '../input/json-file.ts'

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'must be a day, YYYY-MM-DD')
const text = z.string().min(1).max(2_000)

const common = {
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, dashes or underscores')
    .describe('Stable and unique: calendars, waivers and reports refer to it.'),
  api: z.enum(['client', 'indexing']),
  method: z.string().regex(/^[A-Z]+$/, 'must be a method in capital letters'),
  path: z
    .string()
    .regex(/^\/[^\s?#]*$/, 'must be a path that starts with / and has no query')
    .describe('A path template; {name} stands for one segment.'),
  replacement: text.optional().describe('What to use instead.'),
  advice: text.optional().describe('What to do where nothing replaces the item.'),
  reason: text.optional(),
  announced: day,
  removal: day.describe('The item is available before this day (UTC) and gone from it on.'),
  status: z
    .looseObject({})
    .optional()
    .describe('Where the entry was when the list was printed; ignored when read.'),
}

const place = z.strictObject({
  in: z.enum(['request', 'response', 'either']),
  depth: z.enum(['top', 'any']).describe('top: only a member of the body itself.'),
  holders: z
    .array(text)
    .optional()
    .describe("Members of the body that hold what the operation is about: theirs count as the body's own."),
})

const entry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('endpoint'), ...common }),
  z.strictObject({ kind: z.literal('field'), field: text, place, ...common }),
])

const scheduleFile = z.strictObject({
  $schema: z.string().optional(),
  asOf: day.optional().describe('The day for which the list was printed; ignored when read.'),
  entries: z.array(entry),
})

/** The JSON Schema (2020-12) of a schedule file, as `onramp deprecations schema` prints it. */
export const scheduleJsonSchema = (): object => ({
  ...z.toJSONSchema(scheduleFile),
  title: 'A schedule of deprecated endpoints and fields',
})

/** Reads a schedule from a file. Throws InputFault naming file, line and what is wrong. */
export const readScheduleFile = async (file: string): Promise<Schedule> => {
  const { entries } = await readJsonFile(file, scheduleFile, (data) =>
    faultsIn(data.entries).map(({ at, message }) => ({ path: ['entries', at], message })),
  )
  return entries.map(({ status: _status, ...entry }) => entry)
}

/** A schedule with another laid over it: entries with a known id are replaced in place, the others are added. */
export const extendSchedule = (base: Schedule, more: Schedule): Schedule => [
  ...new Map([...base, ...more].map((entry) => [entry.id, entry])).values(),
]
