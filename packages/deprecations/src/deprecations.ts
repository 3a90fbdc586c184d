// The package's interface for programs. README.md explains it and the commands.
export { publishedSchedule } from './schedule/published-schedule.ts'
export { filterEntries, groupByRemoval, listEntries, listJson, selectEntries } from './schedule/schedule.ts'
export { dayOf, operationOf, remarksOf } from './schedule/schedule.ts'
export type { EntryFilter, ListedEntry, Schedule } from './schedule/schedule.ts'
export { toCalendar } from './schedule/calendar.ts'
export { createWatch, watchDeprecations } from './watch/watch.ts'
