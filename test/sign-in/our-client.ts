// Our client at an authorization server, with its records in memory.
import type { Settings } from '../../src/settings/settings.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { createFindClient, Registration } from '../../src/sign-in/registration/registration.ts'
import { memoryStore } from './memory-store.ts'

export const ISSUER = 'https://as.example'
export const REGISTER = `${ISSUER}/register`
export const METADATA = { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, registration_endpoint: REGISTER }
export const settings = {
  PUBLIC_URL: 'https://onramp.example',
  OIDC_ISSUER: ISSUER,
  OIDC_SCOPE: 'openid email profile offline_access',
  OIDC_CLIENT_AUTH: 'client_secret_basic',
} as Settings

export const NOW = 1_700_000_000_000
const keyRing = testKeyRing()

export function ours(own: Partial<Settings> = {}) {
  const store = memoryStore()
  const logged: unknown[][] = []
  const line = (level: string) => (fields: object, words: string) => void logged.push([level, words, fields])
  const calls: object[] = []
  const parts = { records: store.records, keyRing, now: () => NOW }
  const all = { ...settings, ...own } as Settings
  const log = { info: line('info'), warn: line('warn') } as never
  const client = createFindClient(all, {
    ...parts,
    log,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
  })
  return { ...store, all, parts, log, client, logged, calls, registration: new Registration(all, parts) }
}

export const made =
  (more: object = {}, status = 201) =>
  () =>
    Response.json({ client_id: 'one', client_secret: 'hush', ...more }, { status })
