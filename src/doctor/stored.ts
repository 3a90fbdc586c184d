// Checks the format of the stored records, and that they can be read. Creates no store, and writes nothing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nearestWord } from '@onramp/terminal/arguments'
import { datasourceType } from '../company/app-names.ts'
import { readCompany } from '../company/read-company.ts'
import { inScope, type Walk } from '../onboarding/walk.ts'
import type { Person } from '../people/person.ts'
import { readDataKey, type DataKey } from '../records/data-key.ts'
import { StoreUnavailable, StoreUnreadable, type Records } from '../records/records.ts'
import { FolderUnusable } from '../records/sqlite-folder.ts'
import { openStore, type Store } from '../records/store.ts'
import type { Settings } from '../settings/settings.ts'
import { Registration } from '../sign-in/registration/registration.ts'
import {
  readClientAuthentication,
  type ClientAuthentication,
} from '../sign-in/server/client-authentication.ts'
import { supportedTexts } from '../web/languages/catalogue.ts'
import { createLog } from '../web/log.ts'
import { createCheck, fail, ok, warn, type DoctorContext } from './findings.ts'

type Stored = {
  /** The number of records that the data key can't decrypt; undefined if no SESSION_SECRET unwraps the data key. */
  unreadable: number | undefined
  otherFormat?: string
  recordedApps?: RecordedApps
  /** The client that onramp registered. */
  client?: Awaited<ReturnType<typeof registeredClient>>
}

/** Instances on anyone's record. `since`: the time of the oldest record, milliseconds since 1970. */
type RecordedApps = { instances: Set<string>; since: number }

const PREFIXES =
  'person: former-address: walk: sign-in-address: approval: client: sessions-of: sid: keep-'.split(' ')
const NEEDED = /^(SESSION_SECRET|REDIS_|DATA_DIR)/

/** @returns undefined without a store, or if these settings can't open it */
async function collect({ settings, faults }: DoctorContext, now: () => number): Promise<Stored | undefined> {
  if (faults.some((fault) => NEEDED.test(fault))) return undefined
  const { REDIS_URL: redis, DATA_DIR: folder = '' } = settings
  if (redis === undefined && !existsSync(join(folder, 'onramp.sqlite'))) return undefined
  const allSettings = settings as Settings
  let store: Store | undefined
  try {
    store = openStore(allSettings, createLog('silent'))
    const dataKey = await readDataKey(store.records, allSettings.SESSION_SECRET)
    if (dataKey === 'none') return undefined
    if (dataKey === 'other secret') return { unreadable: undefined }
    const recordedApps: RecordedApps = { instances: new Set(), since: Infinity }
    const { records } = store
    const unreadable = await countUnreadable(records, dataKey, recordedApps)
    const registration = new Registration(allSettings, {
      records,
      keyRing: { dataKey: async () => dataKey },
      now,
    })
    return { unreadable, recordedApps, client: await registeredClient(allSettings, registration) }
  } catch (error) {
    if (error instanceof StoreUnreadable) return { unreadable: undefined, otherFormat: error.detail }
    // The store's check reports it.
    if (error instanceof StoreUnavailable || error instanceof FolderUnusable) return undefined
    throw error
  } finally {
    await store?.close()
  }
}

async function countUnreadable(records: Records, { sealer }: DataKey, recordedApps: RecordedApps) {
  let count = 0
  for (const prefix of PREFIXES)
    for await (const keys of records.keys(prefix)) {
      const texts = await Promise.all(keys.map(async (key) => ({ key, text: await records.get(key) })))
      for (const { key, text } of texts) {
        if (text === undefined) continue
        const plain = sealer.open(text, key)
        if (plain === undefined) count++
        else if (/^(person|walk):/.test(prefix)) takeApps(JSON.parse(plain) as PersonOrWalk, recordedApps)
      }
    }
  return count
}

type StoredWalk = Pick<Walk, 'startedAt'> & { known: Walk['apps'] }
type PersonOrWalk = Partial<Pick<Person, 'lastCheck' | 'campaigns'> & StoredWalk>

function takeApps(
  { lastCheck, campaigns = [], known = [], startedAt }: PersonOrWalk,
  recordedApps: RecordedApps,
): void {
  for (const { instance } of [...known, ...(lastCheck?.apps ?? [])]) recordedApps.instances.add(instance)
  const sentTimes = campaigns.flatMap(({ emails }) => emails.map(({ at }) => at))
  recordedApps.since = Math.min(recordedApps.since, ...sentTimes, startedAt ?? Infinity)
}

async function registeredClient(settings: Settings, registration: Registration) {
  if (settings.OIDC_CLIENT_ID !== undefined || settings.OIDC_ISSUER === undefined) return undefined
  const metadata = await registration.load()
  if (metadata === undefined) return undefined
  const method = metadata.token_endpoint_auth_method as ClientAuthentication['method']
  const auth = { ...readClientAuthentication(settings), method, secret: metadata.client_secret }
  return { id: metadata.client_id, auth }
}

const WEEK_MS = 7 * 86_400_000

/** Keys of the company file that match no app, a week after the first record. */
function unmatchedApps({ recordedApps }: Stored, { settings: { COMPANY_FILE: file }, now }: DoctorContext) {
  if (file === undefined || recordedApps === undefined || now - recordedApps.since < WEEK_MS) return []
  const instances = [...recordedApps.instances]
  const datasources = [...new Set(instances.map((instance) => datasourceType(instance)))]
  const { company } = readCompany(file, supportedTexts())
  // The app that replaces another one may not have come yet.
  const expectedKeys = new Set(['all', ...(company?.declaredReplacements.values() ?? [])])
  const neverListed = [...(company?.declaredReplacements ?? [])].flatMap(([former, key]) =>
    recordedApps.instances.has(former)
      ? []
      : warn(
          `datasources.${key}.replaces in the company file names ${former}, which the service never listed for anyone.`,
          'COMPANY_FILE: correct the name, or remove replaces',
        ),
  )
  const unmatchedKeys = [...(company?.datasources.keys() ?? [])].flatMap((key) => {
    if (expectedKeys.has(key) || instances.some((instance) => inScope({ datasources: [key] }, instance)))
      return []
    const meant = nearestWord(key, datasources)
    return warn(
      `datasources.${key} in the company file matches no app that the service ever listed.`,
      `COMPANY_FILE: ${meant === undefined ? 'correct its name, or remove it' : `did you mean ${meant}?`}`,
    )
  })
  return [...unmatchedKeys, ...neverListed]
}

function readability({ otherFormat, unreadable }: Stored) {
  if (otherFormat)
    return fail(
      `The server would not start: ${otherFormat}.`,
      'REDIS_PREFIX, DATA_DIR: docs/operations.md says which versions read which store',
    )
  if (unreadable === undefined)
    return fail(
      'The store belongs to an installation with another SESSION_SECRET, so the server would not start.',
      'SESSION_SECRET, REDIS_PREFIX, DATA_DIR: add the former secret as the second one, or use another REDIS_PREFIX or DATA_DIR; onramp store adopt gives up what is stored about people',
    )
  if (unreadable === 0) return ok('All stored records can be read.')
  return warn(
    `${unreadable === 1 ? 'One record' : `${unreadable} records`} that onramp stored can't be read.`,
    'REDIS_PREFIX: if another installation shares the store, give each its own REDIS_PREFIX; otherwise restore a backup, or delete those of people with onramp invite forget EMAIL',
  )
}

export const recordsCheck = createCheck(collect, {
  'settings.company': unmatchedApps,
  'store.records': readability,
})
