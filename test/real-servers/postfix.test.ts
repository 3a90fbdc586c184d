// Debian's Postfix as a local relay that forwards to the company's, and with a rate limit. Postfix requires root.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCompany } from '../campaigns/command.ts'
import { startSmtpServer } from '../campaigns/smtp-server.ts'
import { until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { makeCertificates } from '../helpers/tls.ts'
import { linesOfDocs, master, startServer } from '../real-mail/post-office.ts'

const MASTER = '/usr/lib/postfix/sbin/master'
const DEBIAN = '/usr/share/postfix/main.cf.debian'
const isMissing = process.getuid?.() !== 0 || !existsSync(MASTER)

const { send, list } = useCompany()

/** The lines of the docs, with this port in place of the company's relay. */
const beside = (port: number) =>
  linesOfDocs(/^relayhost = .*\ninet_interfaces = .*\nmydestination = *$/m).replace(
    '[relay.acme.example]:25',
    `[127.0.0.1]:${port}`,
  )

/** A limit of two emails in two seconds. */
const limited = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
  -o smtpd_client_message_rate_limit=2
  -o smtpd_client_event_limit_exceptions=
`

/** Debian's configuration, a certificate as its ssl-cert makes one, and these lines. */
async function openPostfix(folder: string, lines: string) {
  // Its servers run as other users.
  chmodSync(folder, 0o755)
  for (const name of ['postfix', 'queue', 'data']) mkdirSync(join(folder, name))
  execFileSync('chown', ['postfix', join(folder, 'data')])
  makeCertificates(folder, { snakeoil: ['vm'] })
  const ports = { smtp: await freePort(), limited: await freePort() }
  const own = `
queue_directory = ${folder}/queue
data_directory = ${folder}/data
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
alias_maps =
anvil_rate_time_unit = 2s
smtpd_tls_cert_file = ${folder}/snakeoil.crt
smtpd_tls_key_file = ${folder}/snakeoil.key
smtpd_tls_security_level = may
`
  writeFileSync(join(folder, 'postfix/main.cf'), `${readFileSync(DEBIAN, 'utf8')}${own}${lines}\n`)
  writeFileSync(join(folder, 'postfix/master.cf'), `${master(ports).trim()}${limited(ports.limited)}`)
  execFileSync('postfix', ['-c', join(folder, 'postfix'), 'check'])
  return {
    ports,
    server: await startServer('Postfix', ports.smtp, [MASTER, '-d', '-c', join(folder, 'postfix')]),
  }
}

const names = ['ada', 'bob', 'dan', 'grace'].map((name) => `${name}@acme.example`)

describe.skipIf(isMissing)("Debian's Postfix with the three lines of the docs", () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-postfix-'))
  /** The company's relay: without TLS. */
  let inside: Awaited<ReturnType<typeof startSmtpServer>>
  let postfix: Awaited<ReturnType<typeof openPostfix>>
  beforeAll(async () => {
    inside = await startSmtpServer(() => undefined)
    postfix = await openPostfix(folder, beside(Number(new URL(inside.url).port)))
  }, 30_000)
  afterEach(() => void inside.recipients.splice(0))
  afterAll(async () => {
    await postfix.server.end('SIGTERM')
    await inside.close()
    rmSync(folder, { recursive: true })
  })

  async function sendThrough(port: number): Promise<string> {
    const env = { SMTP_URL: `smtp://localhost:${port}` }
    const { code, stderr } = await send([list(names.join('\n'))], { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining('4  emails sent')])
    await until(() => inside.recipients.length === 4, 'the emails inside')
    expect(inside.recipients.toSorted()).toEqual(names)
    return stderr
  }

  it('a relay without TLS takes emails', async () => {
    expect(await sendThrough(postfix.ports.smtp)).not.toContain('is throttling')
  })

  it('a relay limited to two emails in two seconds gets each once', async () => {
    const stderr = await sendThrough(postfix.ports.limited)
    expect(stderr).toContain('is throttling: 450 4.7.1 Error: too much mail from')
    expect(stderr).toMatch(/in the end they left at \d+ a minute/)
  }, 30_000)
})
