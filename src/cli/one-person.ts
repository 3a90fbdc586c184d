// Commands about one person: onramp invite link, onramp invite forget and onramp audit-id.
import type { CommandContext } from '@onramp/terminal/command-context'
import { Invitations } from '../invites/token.ts'
import { WalkStore } from '../onboarding/walk-store.ts'
import { normalizedAddress } from '../people/address.ts'
import { PersonUnreadable } from '../people/people-store.ts'
import { createKeyRing } from '../records/data-key.ts'
import { loadSettingsWithoutClient } from '../settings/settings.ts'
import { COMMAND } from '../version.ts'
import { createAuditIds } from '../web/audit.ts'
import { createOperatorAudit, operatorName } from './operator.ts'
import { openPeople, storeLabel, withStore } from './store.ts'

const DAY_MS = 86_400_000

export async function invitationLink(
  email: string,
  { datasource = [], days, json }: { datasource?: string[] | undefined; days: number; json?: boolean },
  { env, stdout, now }: CommandContext,
): Promise<number> {
  const { INVITE_SECRET, SESSION_SECRET, PUBLIC_URL } = loadSettingsWithoutClient(env)
  const secrets = INVITE_SECRET ?? SESSION_SECRET
  const invitations = new Invitations(secrets, PUBLIC_URL, now)
  const url = `${PUBLIC_URL}/invite/${invitations.issue({ email, datasources: datasource }, days)}`
  const expires = new Date(now() + days * DAY_MS).toISOString()
  stdout.write(json ? `${JSON.stringify({ url, email, expires })}\n` : `${url}\n`)
  return 0
}

export async function forgetPerson(address: string, { env, stdout, stderr, now }: CommandContext) {
  const settings = loadSettingsWithoutClient(env)
  let email = address
  let isListed = false
  const isForgotten = await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now })
    email = await people.currentAddress(address)
    const storedPerson = await people.get(email).catch((error: unknown) => {
      // The record is deleted in any case; its walks expire.
      if (!(error instanceof PersonUnreadable)) throw error
    })
    isListed = storedPerson?.listedAt !== undefined && storedPerson.leftAt === undefined
    const dataKey = await createKeyRing(records, settings.SESSION_SECRET).dataKey()
    // Walks are deleted first, because only the record names them.
    for (const signIn of storedPerson?.signIns ?? []) await WalkStore.erase(records, signIn, dataKey)
    return await people.forget(email)
  })
  if (isForgotten)
    createOperatorAudit(settings, stderr)({ event: 'forgotten', email, operator: operatorName() })
  stdout.write(
    isForgotten ? `Deleted all data for ${email}\n` : `No data for ${email} (${storeLabel(settings)})\n`,
  )
  if (isListed)
    stdout.write(
      `In the last run, they were on the list. Remove them from it, or they are invited again when the whole list is next checked, usually within six hours, even after an opt-out. To keep only an opt-out: ${COMMAND} opt-out EMAIL\n`,
    )
  return 0
}

export async function auditId(
  email: string,
  { json }: { json?: boolean },
  { env, stdout, stderr }: CommandContext,
): Promise<number> {
  const { INVITE_SECRET, SESSION_SECRET } = loadSettingsWithoutClient(env)
  const ids = (INVITE_SECRET ?? SESSION_SECRET).map((secret, index) => ({
    id: createAuditIds([secret], normalizedAddress).ofEmail(email),
    current: index === 0,
  }))
  if (json) {
    stdout.write(`${JSON.stringify({ email, ids })}\n`)
    return 0
  }
  for (const { id } of ids) stdout.write(`${id}\n`)
  if (ids.length > 1) stderr.write('The first ID belongs to the current secret, the others to older ones.\n')
  return 0
}
