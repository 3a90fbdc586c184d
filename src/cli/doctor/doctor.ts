// onramp doctor: what is wrong with the setup, and what to change.
import { isActAsAddress } from '../../client-api/credentials.ts'
import { examine } from '../../doctor/examine.ts'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import { doctorJson, doctorText, resultOf } from './report.ts'
import { insteadOf, publishedSchedule, titleOf } from '@onramp/deprecations'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

/** What onramp itself calls; the rest of the schedule is for `onramp deprecations check`. */
const OWN_PATHS = ['/rest/api/v1/checkdatasourceauth', '/rest/api/v1/search']

const deadlines = publishedSchedule
  .filter((entry) => OWN_PATHS.includes(entry.path))
  .map((entry) => ({ what: titleOf(entry), replacement: insteadOf(entry), removal: entry.removal }))

type DoctorOptions = { as?: string; offline?: boolean; strict?: boolean; json?: boolean }

export async function run(
  { as: actAs, offline = false, strict, json }: DoctorOptions,
  { env, stdout, now }: CliParts,
): Promise<number> {
  if (actAs !== undefined && !isActAsAddress(actAs))
    throw new UsageError('--as expects an email address like ada@acme.example')

  const report = await examine({ env, now, actAs, offline, node: process.version, deadlines })
  stdout.write(json ? doctorJson(report) : doctorText(report, { screen: stdout, env }))
  const result = resultOf(report)
  return result === 'fail' || (strict && result === 'warn') ? 1 : 0
}
