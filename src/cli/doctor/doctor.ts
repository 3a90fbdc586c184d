// onramp doctor: what is wrong with the set-up, and what to change.
import { isActAsAddress } from '../../client-api/credentials.ts'
import { examine } from '../../doctor/examine.ts'
import { nearest, readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { doctorGroup, doctorJson, doctorSummary, resultOf } from './report.ts'
import { publishedSchedule } from '@onramp/deprecations'
import { insteadOf, titleOf } from '@onramp/deprecations'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = {
  as: { type: 'string' },
  offline: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

function readArgs(args: string[]) {
  const { as: actAs, ...flags } = readArguments(args, options, 0).values
  if (actAs !== undefined && !isActAsAddress(actAs))
    throw new UsageError('--as takes one plain address like ada@acme.example')
  return { actAs, ...flags }
}

/** What onramp itself calls; the rest of the schedule is for `onramp deprecations check`. */
const OWN_PATHS = ['/rest/api/v1/checkdatasourceauth', '/rest/api/v1/search']

const deadlinesOfOurCalls = publishedSchedule
  .filter((entry) => OWN_PATHS.includes(entry.path))
  .map((entry) => ({ what: titleOf(entry), replacement: insteadOf(entry), removal: entry.removal }))

export const run: Run = async (args, { env, stdout, now }) => {
  const { actAs, offline, strict, json } = readArgs(args)
  const look = { screen: stdout, env }
  const told = await examine({
    env,
    now,
    actAs,
    offline,
    node: process.version,
    nearest,
    deadlines: deadlinesOfOurCalls,
    ...(json ? {} : { tell: (group, findings) => void stdout.write(doctorGroup(group, findings, look)) }),
  })
  stdout.write(json ? doctorJson(told) : doctorSummary(told, look))
  const result = resultOf(told)
  return result === 'fail' || (strict && result === 'warn') ? 1 : 0
}
