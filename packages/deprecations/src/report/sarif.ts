// The report of a check as SARIF 2.1.0 (OASIS), which code hosts show beside the files.
import { pathToFileURL } from 'node:url'
import { isAbsolute } from 'node:path'
import { present } from '../present.ts'
import { insteadOf, titleOf } from '../schedule/schedule.ts'
import { isCertain, type Found, type PlaceSeen } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'
import { fateOf } from '../schedule/words.ts'

const levelOf = ({ status, confidence }: Found) => {
  if (!isCertain({ confidence })) return 'note'
  return status.state === 'removed' ? 'error' : 'warning'
}

const ruleOf = ({ entry, status }: Found) => ({
  id: entry.id,
  shortDescription: { text: titleOf(entry) },
  fullDescription: { text: `${titleOf(entry)}: ${fateOf(entry, status)}.` },
  help: { text: insteadOf(entry) },
  properties: { announced: entry.announced, removal: entry.removal, api: entry.api },
})

const uriOf = (file: string) => {
  if (isAbsolute(file)) return pathToFileURL(file).href
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
}

const locationOf = ({ file, line, record, side, pointer }: PlaceSeen) => {
  const inside = [record, side, pointer].filter((part) => part !== undefined).join(' ')
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      ...present({ region: line === undefined ? undefined : { startLine: line } }),
    },
    ...(inside === '' ? {} : { logicalLocations: [{ fullyQualifiedName: inside }] }),
  }
}

type Item = Found & { waiver?: { reason: string } }

const resultsOf = (item: Item, ruleIndex: number) =>
  item.places.map((place) => ({
    ruleId: item.entry.id,
    ruleIndex,
    level: levelOf({ ...item, confidence: place.confidence }),
    message: { text: `${titleOf(item.entry)}: ${fateOf(item.entry, item.status)}.` },
    locations: [locationOf(place)],
    occurrenceCount: place.count,
    partialFingerprints: {
      'itemAndPlace/v1': [item.entry.id, place.file, place.side, place.pointer?.replaceAll(/\d+/g, '*')].join(
        ' ',
      ),
    },
    properties: { confidence: place.confidence },
    ...present({
      suppressions: item.waiver && [{ kind: 'external', justification: item.waiver.reason }],
    }),
  }))

/** The verdict as a SARIF log, one result a place; waived ones are suppressed. */
export const sarifReport = (verdict: Verdict): string => {
  const items: Item[] = [...verdict.inUse, ...verdict.waived, ...verdict.mayBeInUse]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'onramp deprecations', rules: items.map(ruleOf) } },
        // Input that could not be read must not look like a check that found nothing.
        invocations: [{ executionSuccessful: verdict.faults === 0 }],
        results: items.flatMap(resultsOf),
        columnKind: 'utf16CodeUnits',
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}
