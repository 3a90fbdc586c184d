// A private certificate authority, and gateways that terminate TLS with its certificates.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server as TlsServer } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Writes ca.crt, and FILE.key and FILE.crt for each file. @param files the hosts of each @param expired a file */
export function makeCertificates(
  folder: string,
  files: Record<string, readonly string[]>,
  expired?: string,
): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=Test CA')
  for (const [file, names] of Object.entries(files)) {
    openssl('req', ...key, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${file}`)
    const alternativeNames = names.map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join(',')
    writeFileSync(join(folder, 'names'), `subjectAltName=${alternativeNames}`)
    const signingOptions = [
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-extfile',
      'names',
      '-days',
    ]
    const days = file === expired ? '0' : '2'
    openssl('x509', '-req', '-in', `${file}.csr`, '-out', `${file}.crt`, ...signingOptions, days)
  }
}

export const pem = (folder: string, file: string) => ({
  key: readFileSync(join(folder, `${file}.key`)),
  cert: readFileSync(join(folder, `${file}.crt`)),
})

/** Makes this process trust the authority of the folder; without a folder, only those of Node. */
export function trustAuthority(folder?: string): void {
  const usual = (['bundled', 'extra'] as const).flatMap(getCACertificates)
  const own = folder === undefined ? [] : [readFileSync(join(folder, 'ca.crt'), 'utf8')]
  setDefaultCACertificates([...usual, ...own])
}

export type Gateway = { key: Buffer; cert: Buffer; target: number; port: number; host?: string }

export async function startGateway({ target, port, host, ...own }: Gateway): Promise<TlsServer> {
  const server = createServer(own, (req, res) => {
    const headers = { ...req.headers, 'x-forwarded-proto': 'https' }
    const { method, url: path } = req
    const forwardedOptions = { host: '127.0.0.1', port: target, method, path, headers, agent: false }
    req.pipe(
      request(forwardedOptions, (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(res)
      }).on('error', () => res.destroy()),
    )
  }).listen(port, host ?? '127.0.0.1')
  await once(server, 'listening')
  return server
}
