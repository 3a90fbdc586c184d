// Checks traffic against the schedule: opens each source, detects its format, reads it and tallies what it uses.
// A source or line that cannot be read is reported and the rest is read; what was found stays found.
import { createMatcher, type Matcher } from '../matching/deprecated-use.ts'
import type { Day, Schedule } from '../schedule/schedule.ts'
import { readLogLine } from '../input/access-log.ts'
import { readDocument, type DocumentParts } from './check-document.ts'
import { detectFormat, unreadable, type Format } from './detect.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { MAX_LINE, readLines } from '../input/lines.ts'
import { readRecord, type Reading } from '../input/ndjson.ts'
import { createRecordReader } from '../input/records.ts'
import type { Source } from './source.ts'
import { Tally, type Found } from './tally.ts'

type CheckOptions = {
  schedule: Schedule
  asOf: Day
  /** Overrides the detected format. */
  format?: Format | undefined
  /** Called with each thing that could not be read, as one line. */
  report: (fault: string) => void
  /** Called as a source is read: bytes of it so far, and requests altogether. */
  progress: (source: Source, bytes: number, requests: number) => void
}

export type CheckResult = {
  asOf: Day
  files: string[]
  requests: number
  /** Lines, entries, bodies and files that could not be read. */
  faults: number
  found: Found[]
}

/** Faults reported for each file; beyond them they are only counted. */
const MAX_FAULTS = 20

/** Checks sources one after the other. Never throws for what is in them. */
export const checkSources = async (
  sources: readonly (() => Promise<Source>)[],
  options: CheckOptions,
): Promise<CheckResult> => {
  const tally = new Tally(options.asOf)
  const parts = { ...options, matcher: createMatcher(options.schedule), tally }
  const files: string[] = []
  let faults = 0
  for (const open of sources) {
    try {
      const source = await open()
      files.push(source.name)
      faults += await checkSource(source, parts)
    } catch (error) {
      if (!(error instanceof InputFault)) throw error
      options.report(error.message)
      faults += 1
    }
  }
  return { asOf: options.asOf, files, requests: tally.requests, faults, found: tally.found() }
}

type Parts = CheckOptions & { matcher: Matcher; tally: Tally }

/** Resolves to the number of faults. */
const checkSource = async (source: Source, parts: Parts): Promise<number> => {
  const { matcher, tally, report } = parts
  const obstacle = unreadable(source.head, parts.format)
  if (obstacle !== undefined) throw new InputFault(source.name, undefined, obstacle)
  const format = parts.format ?? detectFormat(source.head, source.name)
  let faults = 0
  const fault = (line: number | undefined, what: string) => {
    faults += 1
    if (faults <= MAX_FAULTS) report(new InputFault(source.name, line, what).message)
  }
  const before = tally.requests
  const read: DocumentParts = { source, matcher, tally, fault }
  if (format === 'ndjson' || format === 'log')
    await readLined(format, read, (bytes) => parts.progress(source, bytes, tally.requests))
  else await readDocument(format, read)
  if (tally.requests === before && faults === 0)
    fault(undefined, 'no requests found, so nothing was checked; record some traffic first')
  const more = faults - MAX_FAULTS
  if (more > 0) report(new InputFault(source.name, undefined, `${more} more that couldn't be read`).message)
  return faults
}

const readLined = async (
  format: 'ndjson' | 'log',
  parts: DocumentParts,
  progress: (bytes: number) => void,
) => {
  const { source, tally, fault } = parts
  const note = (reading: Reading | undefined, line: number) => {
    if (reading === undefined) return
    if ('fault' in reading) fault(line, reading.fault)
    else tally.noteCall(reading.call, { file: source.name, line }, parts)
  }
  const records = createRecordReader((written, line) => note(readRecord(written), line))
  await readLines(source.bytes, {
    line: format === 'ndjson' ? records.line : (text, number) => note(readLogLine(text), number),
    tooLong: (number) => fault(number, `longer than ${MAX_LINE / 1024 / 1024} Mi characters; skipped`),
    progress,
  })
  records.end()
}
