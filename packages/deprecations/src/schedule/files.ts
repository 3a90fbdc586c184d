// The files that people write: schedules that add to the published one, and waivers, which let items pass until a day.
import { z } from 'zod'
import { readJsonFile } from '../input/json.ts'
import { publishedSchedule } from './published-schedule.ts'
import { dayInFile, scheduleFile, type Schedule } from './schedule.ts'

const waiver = z.strictObject({
  item: z.string().min(1).describe('The id of the item on the schedule.'),
  until: dayInFile.describe('The last day (UTC) on which the waiver is valid.'),
  reason: z.string().min(1).describe('Why, for the readers of the report.'),
})
const waiverFile = z.strictObject({ $schema: z.string().optional(), waivers: z.array(waiver) })

export type Waiver = z.infer<typeof waiver>

/** The JSON Schemas (2020-12) of these files, as `onramp deprecations schema` prints them. */
export const jsonSchemas = {
  schedule: { ...z.toJSONSchema(scheduleFile), title: 'A schedule of deprecated endpoints and fields' },
  waivers: { ...z.toJSONSchema(waiverFile), title: 'Deprecated items that are allowed until a given date' },
}

/** Reads a schedule from a file. @throws {InputFault} naming file, line and what is wrong */
export const readSchedule = (file: string): Schedule => {
  const { entries } = readJsonFile(file, scheduleFile)
  return entries.map(({ status: _status, ...entry }) => entry)
}

/** The published schedule with these files laid over it: entries with a known id are replaced, others added. @throws {InputFault} */
export const extendedSchedule = (files: readonly string[] = []): Schedule => {
  const entries = [publishedSchedule, ...files.map(readSchedule)].flat()
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

/** Reads waivers from a file. @throws {InputFault}, also for an item that is not on the schedule */
export const readWaivers = (file: string, schedule: Schedule): Waiver[] => {
  const ids = new Set(schedule.map(({ id }) => id))
  const known = waiver.refine(
    ({ item }) => ids.has(item),
    'not on the schedule; see: onramp deprecations list',
  )
  return readJsonFile(file, waiverFile.extend({ waivers: z.array(known) })).waivers
}
