// Everything that start-up would refuse, by the code that start-up uses.
import { settings } from '../../settings/settings.ts'
import type { Check } from '../check.ts'
import { fail, ok, type Finding } from '../finding.ts'
import { settingOfFault } from '../read-settings.ts'

/** "OIDC_ISSUER is not an address: write it like …" is a sentence and its remedy. */
function findingOf(fault: string): Finding {
  const setting = settingOfFault(fault)
  const [says = fault, ...rest] = fault.split(': ')
  const required = says.endsWith(' is required')
  const [missing, file] = [says.includes(' is required '), setting.endsWith('_FILE')]
  const mend = required ? `set it. ${rest.join(': ')}` : rest.join(': ')
  return fail(`${says}.`, {
    settings: [setting],
    mend: mend === '' ? (missing ? 'set it' : file ? 'correct the path' : 'correct it') : mend,
  })
}

export const settingsRead: Check = {
  id: 'settings.read',
  about: 'The settings',
  group: 'Settings',
  look: ({ faults }) =>
    faults.length > 0
      ? faults.map(findingOf)
      : [ok(`All ${settings.length} settings can be read; the server would start.`)],
}
