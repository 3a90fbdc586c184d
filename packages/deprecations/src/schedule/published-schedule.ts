// The service's published schedule: 23 fields and 5 endpoints, one for each row of the contract's sections 9.1 and
// 9.2. If the contract doesn't name a side, both bodies are searched for a field, because a false positive is better
// than a miss.
import published from './published-schedule.json' with { type: 'json' }
import type { Schedule } from './schedule.ts'

export const publishedSchedule = published.entries as Schedule
