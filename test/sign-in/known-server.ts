// An AuthorizationServer whose network and client are functions.
import { None, type ClientMetadata } from 'openid-client'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import { AuthorizationServer, type FindClient } from '../../src/sign-in/server/authorization-server.ts'
import { answerFetch } from './network-of-answers.ts'

export const ISSUER = 'https://as.example'
export const PLACE = `${ISSUER}/.well-known/openid-configuration`
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/a`,
  token_endpoint: `${ISSUER}/t`,
  jwks_uri: `${ISSUER}/k`,
}
const settings = { OIDC_ISSUER: ISSUER, OIDC_SCOPE: 'openid' } as Settings

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())
export const turn = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)

/** @param more members of its metadata */
export function knowing(more: object = {}) {
  const requests = answerFetch({ [PLACE]: () => Response.json({ ...METADATA, ...more }) })
  const logged: [level: string, words: string, fields?: object][] = []
  const line = (level: string) => (fields: object, words: string) =>
    void logged.push('err' in fields ? [level, words] : [level, words, fields])
  const calls: object[] = []
  const at = {
    client: { client_id: 'c1' } as ClientMetadata,
    more: {} as { renewAt?: number },
    isThere: true,
    fail() {},
  }
  const client: FindClient = async (_server, mayRegister) => {
    if (!mayRegister && !at.isThere) return undefined
    at.fail()
    return { metadata: at.client, auth: None(), ...at.more }
  }
  const server = new AuthorizationServer({
    settings,
    findClient: client,
    log: { info: line('info'), warn: line('warn') } as never,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
    now: () => Date.now(),
  })
  const idOf = async (which: 'configuration' | 'refreshConfiguration' = 'configuration') =>
    (await server[which]()).clientMetadata().client_id
  const started = async () => {
    server.start()
    await turn()
  }
  return { server, at, requests, logged, calls, idOf, started }
}
