// The schedule that commands work with.
import { publishedSchedule } from '../schedule/published-schedule.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { extendSchedule, readScheduleFile } from '../schedule/schedule-file.ts'

/** The schedule that comes with onramp, extended by the files of `--schedule`. @throws {InputFault} */
export async function scheduleFrom(files: readonly string[] = []): Promise<Schedule> {
  let schedule = publishedSchedule
  for (const file of files) schedule = extendSchedule(schedule, await readScheduleFile(file))
  return schedule
}
