// What the store holds that outlives a session. Only looked at: a store that isn't there is not made, and nothing is
// sealed anew.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lookAtInstallation } from '../records/installation.ts'
import { StoreUnavailable } from '../records/records.ts'
import { openStore } from '../records/store.ts'
import type { Settings } from '../settings/settings.ts'
import { registrationOf } from '../sign-in/registration/registration.ts'
import { createLog } from '../web/log.ts'
import type { Client } from './client.ts'
import type { Setup, Table } from './rule.ts'

type Stored = {
  /** No secret of SESSION_SECRET opens the installation's key. */
  isOfOtherSecret: boolean
  /** Records that the installation's key doesn't open. */
  unreadable: number
  /** What onramp registered at OIDC_ISSUER with these settings. */
  client: Client | undefined
}

/** Of what is sealed under the installation's key. */
const PREFIXES = ['person:', 'walk:', 'client:', 'sessions-of:', 'sid:']
const NEEDED = /^(SESSION_SECRET|REDIS_|DATA_DIR)/

/** @returns undefined where there is no store yet, or it can't be read with these settings */
async function look({ settings, faults }: Setup, now: () => number): Promise<Stored | undefined> {
  if (faults.some((fault) => NEEDED.test(fault))) return undefined
  if (settings.REDIS_URL === undefined && !existsSync(join(settings.DATA_DIR ?? '', 'onramp.sqlite')))
    return undefined
  const all = settings as Settings
  const store = openStore(all, createLog('silent'))
  try {
    const { records } = store
    const vault = await lookAtInstallation(records, all.SESSION_SECRET)
    if (vault === 'none') return undefined
    if (vault === 'other secret') return { isOfOtherSecret: true, unreadable: 0, client: undefined }
    let unreadable = 0
    for (const prefix of PREFIXES)
      for await (const keys of records.keys(prefix)) {
        const texts = await Promise.all(keys.map((key) => records.get(key)))
        unreadable += texts.filter(
          (text, index) => text !== undefined && vault.sealer.open(text, keys[index] ?? '') === undefined,
        ).length
      }
    const isRegistering = all.OIDC_CLIENT_ID === undefined && all.OIDC_ISSUER !== undefined
    const registration = registrationOf(all, { records, installation: { vault: async () => vault }, now })
    const kept = isRegistering ? await registration.stored() : undefined
    const method = kept?.token_endpoint_auth_method as Client['how']['method']
    const how = { method, secret: kept?.client_secret, key: all.OIDC_CLIENT_KEY }
    const client = kept && { id: kept.client_id, how, isRegistered: true }
    return { isOfOtherSecret: false, unreadable, client }
  } catch (error) {
    // That the store can't be reached is said already.
    if (error instanceof StoreUnavailable) return undefined
    throw error
  } finally {
    await store.close()
  }
}

const table: Table<Stored> = {
  'store.records': [
    ({ isOfOtherSecret }) => isOfOtherSecret && 'other-secret',
    ({ unreadable: count }) =>
      count > 0 && { is: 'unread', records: count === 1 ? 'One record' : `${count} records` },
    () => 'fine',
  ],
}

export const stored = { look, table }
