// NAME_FILE: who else on this machine can read the secret.
import { statSync } from 'node:fs'
import { settings } from '../../settings/settings.ts'
import type { Check } from '../check.ts'
import { ok, skip, warn, type Finding } from '../finding.ts'

/** Docker and Kubernetes mount secrets readable for all users inside the container, and for none outside. */
const MOUNTED = /^\/(run|var\/run)\/secrets\//

export function isOpenToAll(file: string): boolean {
  if (MOUNTED.test(file)) return false
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & 0o007) !== 0
}

function findingFor(name: string, file: string): Finding | undefined {
  if (!isOpenToAll(file)) return undefined
  return warn(`The file of ${name}_FILE is open to every user of this machine.`, {
    settings: [`${name}_FILE`],
    mend: 'take their rights to the file away: chmod o-rwx',
  })
}

export const secretFiles: Check = {
  id: 'settings.files',
  about: 'Files with secrets',
  group: 'Settings',
  look({ env }) {
    const files = settings.flatMap(({ name, secret }) => {
      const file = secret ? env[`${name}_FILE`]?.trim() : undefined
      return file ? [{ name, file }] : []
    })
    if (files.length === 0) return [skip('there are none.')]
    const found = files.flatMap(({ name, file }) => findingFor(name, file) ?? [])
    return found.length > 0 ? found : [ok('The files with secrets are closed to other users.')]
  },
}
