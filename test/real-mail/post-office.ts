// A company's mail server of Debian's parts, each an instance of its own in one folder: Postfix takes emails by
// STARTTLS and a sign-in that Dovecot decides, OpenDKIM signs them as docs/invitations.md says, postgrey puts strangers
// off, and each person has a maildir. It delivers to acme.example alone: whatever is for others is refused, or fails
// within.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { spawnOne, until, type Spawned } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { makeCertificates } from '../helpers/tls.ts'

export const DOMAIN = 'acme.example'
export const SENDER = `search@${DOMAIN}`
/** Characters that an SMTP_URL has to encode. */
const [USER, PASSWORD] = ['robot', 'p@ss/w%rd +1']
const NOBODY = 65_534

/** Lines of configuration from the docs. */
export function linesOfDocs(lines: RegExp): string {
  const docs = readFileSync(new URL('../../docs/invitations.md', import.meta.url), 'utf8')
  return lines.exec(docs)?.[0] ?? ''
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('close', () => socket.destroy()).setTimeout(1_000, () => socket.destroy())
    socket.on('connect', () => socket.end())
  })

export async function startServer(
  name: string,
  port: number,
  [command = '', ...args]: string[],
): Promise<Spawned> {
  const server = spawnOne(command, args)
  await until(async () => {
    if (server.hasEnded()) throw new Error(`${name} ended: ${server.output()}`)
    return await isOpen(port)
  }, `${name} to answer`)
  return server
}

type Ports = Record<'smtp' | 'auth' | 'dkim' | 'greylist', number>

const dovecot = (folder: string, { auth }: Ports) => `
protocols =
ssl = no
base_dir = ${folder}/dovecot
state_dir = ${folder}/dovecot
log_path = ${folder}/dovecot.log
auth_mechanisms = plain login
passdb {
  driver = passwd-file
  args = scheme=PLAIN ${folder}/users
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=/tmp
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${auth}
  }
}
`

const opendkim = (folder: string, { dkim }: Ports) => `
Background no
Syslog no
UserID root
# The folder is in /tmp, which everyone may write to.
RequireSafeKeys no
Mode s
Domain ${DOMAIN}
Selector onramp
KeyFile ${folder}/onramp.private
Socket inet:${dkim}@127.0.0.1
PidFile ${folder}/opendkim.pid
${linesOfDocs(/^SignHeaders.*\nOversignHeaders.*$/m)}
`

const mainCf = (folder: string, { auth, dkim, greylist }: Ports) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
myhostname = mail.${DOMAIN}
mydestination =
mynetworks =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
default_transport = error:nothing leaves this machine
relay_transport = error:nothing leaves this machine
virtual_mailbox_domains = ${DOMAIN}
virtual_mailbox_base = ${folder}/mailboxes
virtual_mailbox_maps = texthash:${folder}/mailboxes.map
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
smtpd_tls_cert_file = ${folder}/mail.crt
smtpd_tls_key_file = ${folder}/mail.key
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_received_header = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${auth}
smtpd_sender_login_maps = texthash:${folder}/senders.map
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_sender_restrictions =
  check_sender_access texthash:${folder}/blocked.map
  reject_sender_login_mismatch
smtpd_restriction_classes = greylisting
greylisting = check_policy_service inet:127.0.0.1:${greylist}
smtpd_recipient_restrictions =
  reject_unlisted_recipient
  check_recipient_access texthash:${folder}/recipients.map
smtpd_milters = inet:127.0.0.1:${dkim}
milter_default_action = tempfail
`

/** Postfix's own services (master(5)), none of them in a chroot. */
export const master = ({ smtp }: { smtp: number }) => `
127.0.0.1:${smtp} inet n - n - - smtpd
pickup  unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr    unix n - n 300 1 qmgr
tlsmgr  unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce  unix - - n - 0 bounce
defer   unix - - n - 0 bounce
trace   unix - - n - 0 bounce
verify  unix - - n - 1 verify
flush   unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error   unix - - n - - error
retry   unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
smtp    unix - - n - - smtp
anvil   unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

/** @param people local parts of the mailboxes; `strangers`: those greylisted at first, for `greySeconds` */
export async function openPostOffice(
  folder: string,
  { people, strangers, greySeconds }: { people: string[]; strangers: string[]; greySeconds: number },
) {
  const ports = {
    smtp: await freePort(),
    auth: await freePort(),
    dkim: await freePort(),
    greylist: await freePort(),
  }
  const at = (file: string) => join(folder, file)
  const write = (file: string, text: string) => writeFileSync(at(file), text.trimStart())
  for (const name of ['postfix', 'queue', 'data', 'mailboxes', 'dovecot', 'greylist']) mkdirSync(at(name))
  chownSync(at('mailboxes'), NOBODY, NOBODY)
  execFileSync('chown', ['postfix', at('data')])
  execFileSync('chown', ['postgrey', at('greylist')])
  makeCertificates(folder, { mail: ['localhost'] })
  execFileSync('opendkim-genkey', ['-D', folder, '-d', DOMAIN, '-s', 'onramp', '-b', '2048'])
  write('users', `${USER}:${PASSWORD}\n`)
  chmodSync(at('users'), 0o644)
  write('dovecot.conf', dovecot(folder, ports))
  write('opendkim.conf', opendkim(folder, ports))
  write('postfix/main.cf', mainCf(folder, ports))
  write('postfix/master.cf', master(ports))
  write('mailboxes.map', people.map((name) => `${name}@${DOMAIN} ${name}/\n`).join(''))
  write('senders.map', [SENDER, `blocked@${DOMAIN}`].map((address) => `${address} ${USER}\n`).join(''))
  write('blocked.map', `blocked@${DOMAIN} REJECT\n`)
  write('recipients.map', strangers.map((name) => `${name}@${DOMAIN} greylisting\n`).join(''))

  const servers = new Map<string, Spawned>()
  const start = async (name: string, port: number, command: string[]) =>
    void servers.set(name, await startServer(name, port, command))
  const startSigning = () => start('OpenDKIM', ports.dkim, ['opendkim', '-f', '-x', at('opendkim.conf')])
  const close = async () => {
    for (const server of [...servers.values()].toReversed()) await server.end('SIGTERM')
  }
  try {
    await start('Dovecot', ports.auth, ['dovecot', '-F', '-c', at('dovecot.conf')])
    await startSigning()
    const grey = [`--inet=127.0.0.1:${ports.greylist}`, `--dbdir=${at('greylist')}`, `--delay=${greySeconds}`]
    await start('postgrey', ports.greylist, ['postgrey', ...grey, `--pidfile=${at('greylist/pid')}`])
    execFileSync('postfix', ['-c', at('postfix'), 'check'])
    await start('Postfix', ports.smtp, ['/usr/lib/postfix/sbin/master', '-d', '-c', at('postfix')])
  } catch (error) {
    await close()
    throw error
  }
  const urlOf = (port: number, password = PASSWORD) =>
    `smtp://${USER}:${encodeURIComponent(password)}@localhost:${port}`
  return {
    url: urlOf(ports.smtp),
    urlOf,
    port: ports.smtp,
    authority: at('ca.crt'),
    /** The record at onramp._domainkey, as DNS would give it. */
    dkimRecord: [...readFileSync(at('onramp.txt'), 'utf8').matchAll(/"([^"]*)"/g)]
      .map(([, part]) => part)
      .join(''),
    log: () => readFileSync(at('postfix.log'), 'utf8'),
    startSigning,
    stopSigning: () => servers.get('OpenDKIM')?.end('SIGTERM'),
    /** Resolves once all accepted emails are in the mailboxes. */
    isIdle: () =>
      until(
        () =>
          ['maildrop', 'incoming', 'active'].every((queue) => readdirSync(at(`queue/${queue}`)).length === 0),
        'the mailboxes',
      ),
    /** The emails of a mailbox, in the order of their arrival. */
    mailbox(name: string): Buffer[] {
      const box = at(`mailboxes/${name}/new`)
      const files = existsSync(box) ? readdirSync(box).toSorted() : []
      return files.map((file) => readFileSync(join(box, file)))
    },
    close,
  }
}
