// What the package offers to a program. The commands are beside it: see README.md.
export { publishedSchedule } from './schedule/published-schedule.ts'
export {
  dayOf,
  fieldOf,
  fixBy,
  insteadOf,
  operationOf,
  statusOn,
  titleOf,
  type Entry,
  type Schedule,
} from './schedule/schedule.ts'
export { byRemoval, chooseEntries, listJson, type Choice, type Listed } from './schedule/listing.ts'
export { calendarOf } from './schedule/calendar.ts'
export { type Notice } from './watch/notice.ts'
export { createWatch, type Observed, type Watch, type WatchOptions } from './watch/watch.ts'
export { watchDeprecations, type WatchFetchOptions } from './watch/watch-fetch.ts'
