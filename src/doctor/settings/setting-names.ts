// Names that were mistyped: an unknown variable close to a setting's name is ignored in silence at start-up.
import { settings } from '../../settings/settings.ts'
import type { Check, Subject } from '../check.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'

const known = settings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]))
/** Ours alone: other programs do not use these prefixes. SERVICE_, REDIS_ and the like are used by clusters too. */
const OURS = /^(OIDC|SESSION)_/
/** What other parts of onramp read, and what orchestrators put in. */
const OTHERS =
  /^(SANDBOX_PORT|HOSTNAME|SERVICE_(HOST|PORT|NAME)|\w+_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+))$/
const SHORTEST = 6

function findingFor(name: string, { env, nearest }: Subject): Finding | undefined {
  const setting = name.replace(/_FILE$/, '')
  const isPublic = known.includes(setting) && name !== setting
  if (isPublic)
    return warn(`${name} is set, but only secrets are read from files.`, {
      settings: [setting],
      mend: 'put the value itself into the variable',
    })
  const meant =
    name.length < SHORTEST
      ? undefined
      : nearest(
          name,
          known.filter((one) => one.length >= SHORTEST),
        )
  if (meant !== undefined && Math.abs(meant.length - name.length) <= 3) {
    const says = `${name} is not a setting and is ignored; ${meant} is one.`
    const finding = { settings: [meant], mend: `rename ${name} to ${meant}` }
    return env[meant] ? warn(says, { ...finding, mend: `remove ${name}` }) : fail(says, finding)
  }
  return OURS.test(name)
    ? warn(`${name} is not a setting and is ignored.`, { settings: [name], mend: 'remove it' })
    : undefined
}

export const settingNames: Check = {
  id: 'settings.names',
  about: 'Names of settings',
  group: 'Settings',
  look(subject) {
    const unknown = Object.keys(subject.env)
      .filter((name) => /^[A-Z][A-Z0-9_]{2,60}$/.test(name) && !known.includes(name) && !OTHERS.test(name))
      .sort()
    const found = unknown.flatMap((name) => findingFor(name, subject) ?? [])
    return found.length > 0 ? found : [ok('No variable looks like a mistyped setting.')]
  },
}
