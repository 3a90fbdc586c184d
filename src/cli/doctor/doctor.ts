// onramp doctor: what is wrong with the setup, and what to change.
import { isActAsAddress } from '../../client-api/credentials.ts'
import { examine } from '../../doctor/examine.ts'
import { nearest, readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { doctorGroup, doctorJson, doctorSummary, resultOf } from './report.ts'
import { insteadOf, publishedSchedule, titleOf } from '@onramp/deprecations'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = {
  as: { type: 'string' },
  offline: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

/** What onramp itself calls; the rest of the schedule is for `onramp deprecations check`. */
const OWN_PATHS = ['/rest/api/v1/checkdatasourceauth', '/rest/api/v1/search']

const deadlines = publishedSchedule
  .filter((entry) => OWN_PATHS.includes(entry.path))
  .map((entry) => ({ what: titleOf(entry), replacement: insteadOf(entry), removal: entry.removal }))

export const run: Run = async (args, { env, stdout, now }) => {
  const { as: actAs, offline, strict, json } = readArguments(args, options, 0).values
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
