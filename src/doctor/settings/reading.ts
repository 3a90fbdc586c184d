// Can the settings be read? What start-up would refuse, by the code that start-up uses, and names that were mistyped,
// which start-up ignores silently.
import { settings } from '../../settings/settings.ts'
import type { Subject } from '../check.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'

/** The name that a fault begins with. */
const settingOfFault = (fault: string): string => /^[A-Z_]+/.exec(fault)?.[0] ?? ''

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
/** What other parts of onramp read, and what desktops and orchestrators put in. */
const OTHERS =
  /^(SANDBOX_PORT|HOSTNAME|SESSION_MANAGER|SERVICE_(HOST|PORT|NAME)|\w+_SERVICE_\w+|\w+_PORT_\d+_\w+)$/
/** Kubernetes gives the address of a service that is called "redis" as REDIS_PORT. */
const isOthers = (name: string, value: string) =>
  OTHERS.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(value))
/** Shorter names are too near to those of other programs. */
const MIN_LETTERS = 6

/** Never a failure: another program may read it. */
function nameFinding(name: string, { env, nearest }: Subject): Finding | undefined {
  const setting = name.replace(/_FILE$/, '')
  if (name !== setting && known.includes(setting))
    return warn(`${name} is set, but only secrets are read from files.`, {
      settings: [setting],
      fix: 'put the value itself into the variable',
    })
  const long = known.filter((one) => one.length >= MIN_LETTERS)
  const meant = name.length < MIN_LETTERS ? undefined : nearest(name, long)
  const isOurs = OURS.test(name)
  if (meant !== undefined && Math.abs(meant.length - name.length) <= 3) {
    const base = meant.replace(/_FILE$/, '')
    const isGiven = Boolean(env[base] || env[`${base}_FILE`])
    if (isGiven && !isOurs) return undefined
    const fix = isGiven ? `remove ${name}` : `if it was meant, rename ${name} to ${meant}`
    return warn(`${name} is not a setting and is ignored; ${meant} is one.`, { settings: [meant], fix })
  }
  if (!isOurs) return undefined
  return warn(`${name} is not a setting and is ignored.`, { settings: [name], fix: 'remove it' })
}

export function settingNames(subject: Subject): Finding | Finding[] {
  const unknown = Object.entries(subject.env)
    .filter(
      ([name, value = '']) => value !== '' && /^[A-Z][A-Z0-9_]{2,60}$/.test(name) && !isOthers(name, value),
    )
    .map(([name]) => name)
    .filter((name) => !known.includes(name))
    .sort()
  const found = unknown.flatMap((name) => nameFinding(name, subject) ?? [])
  return found.length > 0 ? found : ok('No variable looks like a mistyped setting.')
}
