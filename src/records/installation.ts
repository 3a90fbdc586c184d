// The installation's own key: made once for each store and prefix, kept sealed under SESSION_SECRET, and what every record
// that outlives a session is named and sealed with. So a secret rotates by sealing this one record anew.
import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { Problem } from '../problem.ts'
import type { Records } from './records.ts'
import { createSealer, type Sealer } from './seal.ts'

const KEY = 'installation'
/** It must outlive everything that it opens. */
const LIFE_SECONDS = 100 * 365 * 24 * 3600

/** What is done with the installation's key. */
export type Vault = {
  /** Seals and opens what a record keeps. */
  sealer: Sealer
  /**
   * Names a record, so that reading the store's names says nothing about people.
   * @param purpose keeps the names of one kind apart from those of another
   */
  nameOf(purpose: string, text: string): string
}

export type Installation = {
  /** Asks the store the first time. @throws {StoreUnavailable} @throws {SecretMissing} */
  vault(): Promise<Vault>
}

/** No secret of SESSION_SECRET opens the record of the installation: it is another one's, or the former secret is missing. */
export class SecretMissing extends Problem {
  constructor() {
    super(503, 'store_unavailable', {
      detail:
        'the store belongs to an installation with another SESSION_SECRET: add the former secret as the second one of SESSION_SECRET, ' +
        'or use another REDIS_PREFIX or DATA_DIR, or give up what is stored of people with onramp store adopt',
    })
    this.name = 'SecretMissing'
    this.message = this.detail
  }
}

type InstallationRecords = Pick<Records, 'get' | 'put' | 'compareAndSet'>

/** @param secrets SESSION_SECRET: the first one seals, every one opens */
export function createInstallation(records: InstallationRecords, secrets: readonly string[]): Installation {
  const sealer = createSealer(secrets)
  let loading: Promise<Vault> | undefined
  return {
    vault() {
      loading ??= loadKey(records, sealer).then(vaultOf)
      loading.catch(() => (loading = undefined))
      return loading
    },
  }
}

async function loadKey(records: InstallationRecords, sealer: Sealer): Promise<string> {
  for (;;) {
    const sealed = await records.get(KEY)
    if (sealed === undefined) {
      const key = newKey()
      if (await records.compareAndSet(KEY, undefined, sealer.seal(key, KEY), LIFE_SECONDS)) return key
      continue
    }
    const key = sealer.open(sealed, KEY)
    if (key === undefined) throw new SecretMissing()
    // Where another process was faster it has sealed the same key.
    if (!sealer.isCurrent(sealed))
      await records.compareAndSet(KEY, sealed, sealer.seal(key, KEY), LIFE_SECONDS)
    return key
  }
}

/** Makes a new key on purpose: what was sealed under the one before can't be read from then on. @throws {StoreUnavailable} */
export async function adoptStore(records: InstallationRecords, secrets: readonly string[]): Promise<void> {
  await records.put(KEY, createSealer(secrets).seal(newKey(), KEY), LIFE_SECONDS)
}

const newKey = () => randomBytes(32).toString('base64url')

function vaultOf(key: string): Vault {
  const naming = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'onramp names 1', 32)))
  return {
    sealer: createSealer([key]),
    nameOf: (purpose, text) => createHmac('sha256', naming).update(`${purpose}\0${text}`).digest('base64url'),
  }
}
