// What the package offers to a program. The commands are beside it: see README.md.
export { publishedSchedule } from './schedule/published-schedule.ts'
export {
  byRemoval,
  chooseEntries,
  dayOf,
  insteadOf,
  listJson,
  operationOf,
  remarksOf,
  titleOf,
  type Choice,
  type Entry,
  type Listed,
  type Schedule,
} from './schedule/schedule.ts'
export { calendarOf } from './schedule/calendar.ts'
export { createWatch, watchDeprecations, type Notice } from './watch/watch.ts'
