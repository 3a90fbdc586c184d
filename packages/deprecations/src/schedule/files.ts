// Reads schedule files and waiver files.
import { z, type ZodType } from 'zod'
import { InputFault } from '@onramp/terminal/arguments'
import { readDocument } from '../input/source.ts'
import { publishedSchedule } from './published-schedule.ts'
import { daySchema, scheduleSchema, type Schedule } from './schedule.ts'

const waiver = z.strictObject({
  item: z.string().min(1).describe('The id of the item on the schedule.'),
  until: daySchema.describe('The last day (UTC) on which the waiver is valid.'),
  reason: z.string().min(1).describe('Why, for the readers of the report.'),
})
const waiverFile = z.strictObject({ $schema: z.string().optional(), waivers: z.array(waiver) })

/** JSON Schema 2020-12, printed by `onramp deprecations schema`. */
export const jsonSchemas = {
  schedule: { ...z.toJSONSchema(scheduleSchema), title: 'A schedule of deprecated endpoints and fields' },
  waivers: { ...z.toJSONSchema(waiverFile), title: 'Deprecated items that are allowed until a given date' },
}

/** @throws {InputFault} with the line of the first fault */
const readFile = <T>(file: string, schema: ZodType<T>): T => {
  const { data: written, lineOf } = readDocument(file)
  const { success, data, error } = schema.safeParse(written)
  if (success) return data
  const [{ path, message } = { path: [], message: '' }, ...others] = error.issues
  const place = path.length === 0 ? '' : `${path.map(String).join('.')}: `
  const moreText = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new InputFault(file, lineOf(path), `${place}${message}${moreText}`)
}

export const readSchedule = (file: string): Schedule =>
  readFile(file, scheduleSchema).entries.map(({ status: _status, ...entry }) => entry)

/** Extends the published schedule: entries of the files replace those with the same id. @throws {InputFault} */
export const readExtendedSchedule = (files: readonly string[] = []): Schedule => {
  const entries = [publishedSchedule, ...files.map(readSchedule)].flat()
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

export const readWaivers = (file: string) => readFile(file, waiverFile).waivers
