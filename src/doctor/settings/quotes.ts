// Secrets in quotes. `docker run --env-file` and systemd keep quotes that a shell would take away, and then they are part
// of the secret. Other settings in quotes are refused at the start; a secret could really begin and end so.
import { isQuoted, settings } from '../../settings/settings.ts'
import type { Check } from '../check.ts'
import { ok, warn } from '../finding.ts'

export const quotes: Check = {
  id: 'settings.quotes',
  about: 'Quotes',
  group: 'Settings',
  look({ env, faults }) {
    const names = settings.filter(({ secret }) => secret).map(({ name }) => name)
    const quoted = names.filter(
      (name) => isQuoted(env[name]?.trim() ?? '') && !faults.some((fault) => fault.startsWith(`${name} `)),
    )
    if (quoted.length === 0) return [ok('No secret is in quotes.')]
    return quoted.map((name) =>
      warn(`${name} is in quotes, and they are part of it.`, {
        settings: [name],
        mend: 'leave the quotes out',
      }),
    )
  },
}
