// Checks traffic against the schedule: opens each source, tells its format, reads it and tallies what it uses.
// A source or line that cannot be read is reported and the rest is read; what was found stays found.
import { createMatcher, type Matcher } from '../matching/deprecated-use.ts'
import type { Day, Schedule } from '../schedule/schedule.ts'
import { readLogLine } from '../input/access-log.ts'
import { noteCall } from './call-uses.ts'
import { readDocument, type DocumentParts } from './check-document.ts'
import { detectFormat, unreadable, type Format } from './detect.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { longestLine, readLines } from '../input/lines.ts'
import { readRecord, type Reading } from '../input/ndjson.ts'
import { RecordReader } from './records.ts'
import type { Source } from './source.ts'
import { Tally, type Found } from './tally.ts'

export type CheckOptions = {
  schedule: Schedule
  asOf: Day
  /** Overrides what the beginning of a file tells. */
  format?: Format | undefined
  /** Hears of everything that could not be read, as one line each. */
  report: (fault: string) => void
  /** Called as a source is read: bytes of it so far, and requests altogether. */
  progress?: ((source: Source, bytes: number, requests: number) => void) | undefined
}

export type CheckResult = {
  asOf: Day
  files: string[]
  requests: number
  /** Lines, entries, bodies and files that could not be read. */
  faults: number
  found: Found[]
}

type Parts = CheckOptions & {
  matcher: Matcher
  tally: Tally
}

/** Faults reported for each file; beyond them they are only counted. */
const mostFaults = 20

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

const checkSource = async (source: Source, parts: Parts): Promise<number> => {
  const obstacle = unreadable(source.head, parts.format)
  if (obstacle !== undefined) throw new InputFault(source.name, undefined, obstacle)
  const format = parts.format ?? detectFormat(source.head, source.name)
  const faults = faultCounter(source.name, parts.report)
  const before = parts.tally.requests
  const read: DocumentParts = { ...parts, source, fault: faults.add }
  if (format === 'ndjson' || format === 'log') await readLined(format, read, parts)
  else await readDocument(format, read)
  if (parts.tally.requests === before && faults.count() === 0)
    faults.add(undefined, 'no requests in it, so nothing was checked; record some traffic first')
  return faults.close()
}

const faultCounter = (file: string, report: (fault: string) => void) => {
  let count = 0
  return {
    add: (line: number | undefined, what: string) => {
      count += 1
      if (count <= mostFaults) report(new InputFault(file, line, what).message)
    },
    count: () => count,
    close: () => {
      const more = count - mostFaults
      if (more > 0) report(new InputFault(file, undefined, `${more} more that could not be read`).message)
      return count
    },
  }
}

const readLined = async (format: 'ndjson' | 'log', read: DocumentParts, { progress }: Parts) => {
  const { source, tally, fault } = read
  const record = (reading: Reading, number: number) => {
    if (reading === 'nothing') return
    if ('fault' in reading) fault(number, reading.fault)
    else noteCall(reading.call, { file: source.name, line: number }, read)
  }
  const records = new RecordReader((written, number) => record(readRecord(written), number), longestLine)
  await readLines(source.bytes, {
    line: (text, number) => {
      if (format === 'ndjson') records.line(text, number)
      else record(readLogLine(text), number)
    },
    tooLong: (number) => fault(number, `longer than ${longestLine / 1024 / 1024} Mi characters; left out`),
    progress: (bytes) => progress?.(source, bytes, tally.requests),
  })
  records.end()
}
