// Waivers: items that a team knows of and lets pass until a day. A waiver that has run out no longer counts.
import { z } from 'zod'
import { jsonSchemaOf, readJsonFile } from '../input/json.ts'
import { dayInFile, type Schedule } from '../schedule/schedule.ts'

const waiver = z.strictObject({
  item: z.string().min(1).describe('The id of the item on the schedule.'),
  until: dayInFile.describe('The last day (UTC) on which the waiver is valid.'),
  reason: z.string().min(1).describe('Why, for the readers of the report.'),
})
const waiverFile = z.strictObject({ $schema: z.string().optional(), waivers: z.array(waiver) })

export type Waiver = z.infer<typeof waiver>

/** The JSON Schema (2020-12) of a waiver file, as `onramp deprecations schema waivers` prints it. */
export const waiversJsonSchema = (): object =>
  jsonSchemaOf(waiverFile, 'Deprecated items that are allowed until a given date')

/** Reads waivers from a file. @throws {InputFault}, also for an item that is not on the schedule */
export const readWaivers = async (file: string, schedule: Schedule): Promise<Waiver[]> => {
  const ids = new Set(schedule.map(({ id }) => id))
  const known = waiver.refine(
    ({ item }) => ids.has(item),
    'not on the schedule; see: onramp deprecations list',
  )
  return (await readJsonFile(file, waiverFile.extend({ waivers: z.array(known) }))).waivers
}
