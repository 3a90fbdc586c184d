// onramp doctor: what is wrong with the setup, and what to change.
import { isActAsAddress } from '../../client-api/credentials.ts'
import { examine } from '../../doctor/examine.ts'
import { nearest, UsageError } from '@onramp/deprecations/command-line/arguments'
import { doctorGroup, doctorJson, doctorSummary, resultOf } from './report.ts'
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

  const look = { screen: stdout, env }
  const found = await examine({
    env,
    now,
    actAs,
    offline,
    node: process.version,
    nearest,
    deadlines,
    onGroup: json ? undefined : (group, findings) => void stdout.write(doctorGroup(group, findings, look)),
  })
  stdout.write(json ? doctorJson(found) : doctorSummary(found, look))
  const result = resultOf(found)
  return result === 'fail' || (strict && result === 'warn') ? 1 : 0
}
