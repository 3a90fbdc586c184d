// Debian's Apache with ModSecurity and the OWASP core rule set, in front of onramp.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnOne, statusOf, until } from '../helpers/processes.ts'

export const RULES = '/usr/share/modsecurity-crs/owasp-crs.load'
export const MODULE = '/usr/lib/apache2/modules/mod_security2.so'
const EXCLUSIONS = new URL('../../deploy/proxies/modsecurity.conf', import.meta.url).pathname

const MODULES = 'mpm_event authn_core authz_core unique_id security2 proxy proxy_http'

type Place = { port: number; onramp: number; level: 1 | 2 }

/** @param place its port, onramp's, and the rules' paranoia level; at level 2 with what deploy/proxies leaves out */
export async function startModSecurity({ port, onramp, level }: Place) {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-modsecurity-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  // Its processes run as another user.
  chmodSync(folder, 0o755)
  chmodSync(data, 0o777)
  const config = join(folder, 'apache.conf')
  const log = join(folder, 'error.log')
  const lines = [
    ...MODULES.split(' ').map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    'ServerName localhost',
    'User www-data',
    'Group www-data',
    `PidFile ${folder}/pid`,
    `DefaultRuntimeDir ${folder}`,
    `ErrorLog ${log}`,
    `Listen localhost:${port}`,
    'LimitRequestLine 16380',
    'ProxyPreserveHost On',
    `ProxyPass "/" "http://localhost:${onramp}/"`,
    'Include /etc/modsecurity/modsecurity.conf-recommended',
    'SecRuleEngine On',
    'SecAuditEngine Off',
    `SecDataDir ${data}`,
    `SecTmpDir ${data}`,
    `SecAction "id:900000,phase:1,nolog,pass,t:none,setvar:tx.paranoia_level=${level}"`,
    `Include ${RULES}`,
    // The sandbox is on the same host, so its random cookies are sent, too.
    'SecRuleUpdateTargetByTag OWASP_CRS "!REQUEST_COOKIES:/^sandbox_/"',
    // The sandbox's random codes may contain `--`.
    'SecRuleUpdateTargetById 942100 "!ARGS:code"',
    ...(level === 2 ? [`Include ${EXCLUSIONS}`] : []),
  ]
  writeFileSync(config, lines.join('\n'))
  const apache = spawnOne('/usr/sbin/apache2', ['-DFOREGROUND', '-f', config])
  await until(async () => {
    if (apache.hasEnded()) throw new Error(`Apache ended: ${apache.output()}`)
    return (await statusOf(`http://localhost:${port}/healthz`)) === 200
  }, 'Apache')
  return {
    /** Findings of the rules, by rule and matched text. */
    found: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('ModSecurity: Warning'))
        .map((line) => line.match(/\[id "\d+"\]|\[data ".{0,300}?"\]|\[severity "\w+"\]/g)?.join(' ') ?? '')
        .filter((line) => line.includes('CRITICAL')),
    async close() {
      await apache.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
