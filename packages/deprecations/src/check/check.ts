// Checks files against the schedule: detects the format of each, reads it, and tallies what it uses.
// A file or line that can't be read is reported and the rest is read; what was found stays found.
import { InputFault } from '../command-line/input-fault.ts'
import { harEntries, readHarEntry, readJsonLine, readLogLine } from '../input/exchanges.ts'
import { parseJson } from '../input/json.ts'
import { MAX_LINE, readLines, wholeText, type Source } from '../input/source.ts'
import { checkOpenApi } from '../openapi/openapi.ts'
import type { Day, Schedule } from '../schedule/schedule.ts'
import { createTally, type Found, type Tally } from './tally.ts'

export const formats = ['har', 'ndjson', 'openapi', 'log'] as const
export type Format = (typeof formats)[number]

/** `faults` counts lines, entries, bodies and files that could not be read. */
export type CheckResult = { asOf: Day; files: string[]; requests: number; faults: number; found: Found[] }

const MAX_HAR_MIB = 256

/** The format of a file by its first bytes and its name. @throws {InputFault} where these can't be any of them */
const detectFormat = ({ head, name }: Source): Format => {
  if (head.length === 0) throw new InputFault(name, undefined, 'empty file, so nothing was checked')
  if (head.subarray(0, 1024).includes(0) || (head[0] === 0x1f && head[1] === 0x8b))
    throw new InputFault(name, undefined, 'not text in UTF-8; unpack it (gunzip -c FILE), or convert it')
  const text = Buffer.from(head).toString('utf8').trimStart()
  if (/\.(?:nd|l)json$|\.jsonl$/i.test(name)) return 'ndjson'
  if (/^["']?openapi["']?\s*:/m.test(text) || /^\{[^]*"openapi"\s*:/.test(text)) return 'openapi'
  if (!/^[[{]/.test(text)) return /\.ya?ml$/i.test(name) ? 'openapi' : 'log'
  return /\.har$/i.test(name) || /^\{\s*"log"\s*:/.test(text) ? 'har' : 'ndjson'
}

const readers: Record<Format, (source: Source, tally: Tally) => Promise<void>> = {
  openapi: checkOpenApi,
  har: async (source, tally) => {
    const document = parseJson(await wholeText(source, MAX_HAR_MIB), source.name)
    for (const [index, entry] of harEntries(document, source.name).entries())
      tally.take(readHarEntry(entry), { record: `/log/entries/${index}` })
  },
  ndjson: (source, tally) => readEach(source, tally, readJsonLine),
  log: (source, tally) => readEach(source, tally, readLogLine),
}

const readEach = (source: Source, tally: Tally, read: typeof readJsonLine) =>
  readLines(source, (text, line) => {
    if (text !== undefined) tally.take(read(text), { line })
    else tally.fault(`longer than ${MAX_LINE / 1024 / 1024} Mi characters; skipped`, line)
  })

/**
 * Checks files one after the other. Never throws for what is in them.
 * @param format overrides the detected one
 * @param report called with each thing that could not be read, as one line
 */
export const checkFiles = async (
  files: readonly { name: string; open: () => Promise<Source> }[],
  { schedule, asOf, format }: { schedule: Schedule; asOf: Day; format?: Format | undefined },
  report: (fault: string) => void,
): Promise<CheckResult> => {
  const tally = createTally(schedule, asOf, report)
  const read: string[] = []
  for (const { name, open } of files)
    await tally.inFile(name, async () => {
      const source = await open()
      read.push(name)
      await readers[format ?? detectFormat(source)](source, tally)
    })
  return { asOf, files: read, ...tally.result() }
}
