// The schedule that a file adds to the published one.
import { jsonSchemaOf, readJsonFile } from '../input/json.ts'
import { scheduleFile, type Schedule } from './schedule.ts'

/** The JSON Schema (2020-12) of a schedule file, as `onramp deprecations schema` prints it. */
export const scheduleJsonSchema = (): object =>
  jsonSchemaOf(scheduleFile, 'A schedule of deprecated endpoints and fields')

/** Reads a schedule from a file. @throws {InputFault} naming file, line and what is wrong */
export const readScheduleFile = async (file: string): Promise<Schedule> => {
  const { entries } = await readJsonFile(file, scheduleFile)
  return entries.map(({ status: _status, ...entry }) => entry)
}

/** A schedule with another laid over it: entries with a known id are replaced in place, the others are added. */
export const extendSchedule = (base: Schedule, more: Schedule): Schedule => [
  ...new Map([...base, ...more].map((entry) => [entry.id, entry])).values(),
]
