// Facts about this machine and its files: no other server is asked.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { proxyTo } from '../client-api/proxy.ts'
import { readCompany } from '../company/read-company.ts'
import { settings, type Settings } from '../settings/settings.ts'
import { clientAuthOf } from '../sign-in/server/client-authentication.ts'
import { offeredToCompanies } from '../web/languages/catalogue.ts'
import type { Setup } from './rule.ts'

export type Machine = {
  /** Why the server could not listen on HOST, in the system's word. */
  hostError: string | undefined
  /** NAME_FILE variables whose file everyone on this machine can read. */
  openFiles: string[]
  /** NODE_EXTRA_CA_CERTS. */
  authority: 'usable' | 'expired' | "can't be read" | 'has no PEM certificate' | undefined
  /** Is OIDC_CLIENT_KEY a key that signs? Undefined: there is none. */
  canSign: boolean | undefined
  /** COMPANY_FILE, read by start-up's own code. */
  company: ReturnType<typeof readCompany> | undefined
  /** How calls leave, where a forward proxy is set. */
  ways: { who: string; proxy: string | undefined }[]
}

/** Tried on a port that the system chooses, so that a running server is no obstacle. */
async function listenError(host: string): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(0, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    server.close()
  }
}

/** Docker and Kubernetes mount secrets readable for all users inside the container, and for none outside. */
const MOUNTED = /^\/(run|var\/run)\/secrets\//

export function isOpenToAll(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return !MOUNTED.test(file) && (mode & 0o007) !== 0
}

/** Of a file that it cannot read Node only warns. */
function authorityOf(file: string, now: number): Machine['authority'] {
  try {
    const { validTo } = new X509Certificate(readFileSync(file))
    return Date.parse(validTo) < now ? 'expired' : 'usable'
  } catch (error) {
    return error instanceof Error && 'syscall' in error ? "can't be read" : 'has no PEM certificate'
  }
}

const canSign = (key: string): Promise<boolean> =>
  clientAuthOf({ method: 'private_key_jwt', key }).then(
    () => true,
    () => false,
  )

function waysOf(read: Partial<Settings>): Machine['ways'] {
  if (read.HTTPS_PROXY === undefined && read.HTTP_PROXY === undefined) return []
  const targets = { 'The service': read.SERVICE_BASE_URL, 'The authorization server': read.OIDC_ISSUER }
  return Object.entries(targets).flatMap(([who, address]) => {
    return address === undefined ? [] : { who, proxy: proxyTo(new URL(address)) }
  })
}

/** The proxy of the settings has to be in use already. */
export async function lookAtMachine({ env, settings: read, now }: Setup): Promise<Machine> {
  const { OIDC_CLIENT_KEY: key } = read
  const authority = env['NODE_EXTRA_CA_CERTS']
  return {
    hostError: read.HOST === undefined ? undefined : await listenError(read.HOST),
    openFiles: settings
      .map(({ name }) => `${name}_FILE`)
      .filter((name, index) => settings[index]?.secret && env[name] && isOpenToAll(env[name].trim())),
    canSign: key === undefined ? undefined : await canSign(key),
    authority: authority ? authorityOf(authority, now) : undefined,
    company:
      read.COMPANY_FILE === undefined ? undefined : readCompany(read.COMPANY_FILE, offeredToCompanies()),
    ways: waysOf(read),
  }
}
