// Can the settings be read? What start-up would refuse, by the code that start-up uses, and names that were mistyped,
// which start-up ignores silently.
import { settings } from '../../settings/settings.ts'
import type { Subject } from '../check.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { settingOfFault } from '../read-settings.ts'

/** "OIDC_ISSUER is not an address: write it like …" is a sentence and its remedy. */
function faultFinding(fault: string): Finding {
  const setting = settingOfFault(fault)
  const [says = fault, ...rest] = fault.split(': ')
  const remedy = rest.join(': ')
  const standard = says.includes(' is required ') ? 'set it' : 'correct it'
  const fix = says.endsWith(' is required') ? `set it. ${remedy}` : remedy
  return fail(`${says}.`, {
    settings: [setting],
    fix: fix === '' ? (setting.endsWith('_FILE') ? 'correct the path' : standard) : fix,
  })
}

export const settingsRead = ({ faults }: Subject): Finding | Finding[] =>
  faults.length > 0
    ? faults.map(faultFinding)
    : ok(`All ${settings.length} settings can be read; the server would start.`)

const known = settings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]))
/** Ours alone: other programs do not use these prefixes. SERVICE_, REDIS_ and the like are used by clusters too. */
const OURS = /^(OIDC|SESSION)_/
/** What other parts of onramp read, and what orchestrators put in. */
const OTHERS =
  /^(SANDBOX_PORT|HOSTNAME|SERVICE_(HOST|PORT|NAME)|\w+_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+))$/
/** Shorter names are too near to those of other programs. */
const MIN_LETTERS = 6

function nameFinding(name: string, { env, nearest }: Subject): Finding | undefined {
  const setting = name.replace(/_FILE$/, '')
  if (name !== setting && known.includes(setting))
    return warn(`${name} is set, but only secrets are read from files.`, {
      settings: [setting],
      fix: 'put the value itself into the variable',
    })
  const long = known.filter((one) => one.length >= MIN_LETTERS)
  const meant = name.length < MIN_LETTERS ? undefined : nearest(name, long)
  if (meant !== undefined && Math.abs(meant.length - name.length) <= 3) {
    const says = `${name} is not a setting and is ignored; ${meant} is one.`
    return env[meant]
      ? warn(says, { settings: [meant], fix: `remove ${name}` })
      : fail(says, { settings: [meant], fix: `rename ${name} to ${meant}` })
  }
  if (!OURS.test(name)) return undefined
  return warn(`${name} is not a setting and is ignored.`, { settings: [name], fix: 'remove it' })
}

export function settingNames(subject: Subject): Finding | Finding[] {
  const unknown = Object.keys(subject.env)
    .filter((name) => /^[A-Z][A-Z0-9_]{2,60}$/.test(name) && !known.includes(name) && !OTHERS.test(name))
    .sort()
  const found = unknown.flatMap((name) => nameFinding(name, subject) ?? [])
  return found.length > 0 ? found : ok('No variable looks like a mistyped setting.')
}
