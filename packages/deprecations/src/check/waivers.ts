// Waivers: items that a team knows of and lets pass until a day. A waiver that has run out no longer counts, and is said.
import { z } from 'zod'
import { isDay, type Day, type Schedule } from '../schedule/schedule.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { lineFinder, readJsonFile } from '../input/json-file.ts'

const waiver = z.strictObject({
  item: z.string().min(1).describe('The id of the item on the schedule.'),
  until: z
    .string()
    .refine(isDay, 'must be a day, YYYY-MM-DD')
    .describe('The last day (UTC) on which it counts.'),
  reason: z.string().min(1).describe('Why, for whoever reads the report.'),
})
const waiverFile = z.strictObject({ $schema: z.string().optional(), waivers: z.array(waiver) })

export type Waiver = z.infer<typeof waiver>

/** The JSON Schema (2020-12) of a waiver file, as `onramp deprecations schema waivers` prints it. */
export const waiversJsonSchema = (): object => ({
  ...z.toJSONSchema(waiverFile),
  title: 'Deprecated items that may be in use until a day',
})

/** Reads waivers from a file. Throws InputFault, also for an item that is not on the schedule. */
export const readWaivers = async (file: string, schedule: Schedule): Promise<Waiver[]> => {
  const { data, text } = await readJsonFile(file, waiverFile)
  const ids = new Set(schedule.map(({ id }) => id))
  const unknown = data.waivers.findIndex(({ item }) => !ids.has(item))
  if (unknown < 0) return data.waivers
  const line = lineFinder(text)(['waivers', unknown])
  const what = `"${data.waivers[unknown]?.item}" is not on the schedule; see: onramp deprecations list`
  throw new InputFault(file, line, what)
}

/** Waivers by item, those that count on a day apart from those that have run out. */
export const sortWaivers = (waivers: readonly Waiver[], asOf: Day) => ({
  inForce: new Map(waivers.filter(({ until }) => asOf <= until).map((waiver) => [waiver.item, waiver])),
  expired: waivers.filter(({ until }) => asOf > until),
})
