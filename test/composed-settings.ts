// The settings of a composed onramp, with a company file of its own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSettings } from '../src/settings/settings.ts'
import { useFolder } from './helpers/folder.ts'

export const ORIGIN = 'http://localhost:3000'
export const [SECRET, INVITE_SECRET] = ['s'.repeat(40), 'i'.repeat(40)]
export const folder = useFolder()
const COMPANY_FILE = join(folder, 'company.yaml')
writeFileSync(
  COMPANY_FILE,
  `name: Acme
product: Acme Search
languages: [en, de]
links: { search: { url: 'https://find.acme.example/', label: Find it } }
datasources:
  all: { account: yours }
  slack: { name: Team chat, order: 2 }
  github: { order: 1 }
  secret: { hidden: true }
`,
)

export const settings = loadSettings({
  PUBLIC_URL: ORIGIN,
  SERVICE_BASE_URL: 'https://service.example/base',
  SERVICE_HEADER_PREFIX: 'X-Acme',
  OIDC_ISSUER: 'https://as.example',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: 'hush',
  TOKEN_ISSUED_BY: 'external-idp',
  SESSION_SECRET: SECRET,
  INVITE_SECRET,
  INVITE_RETENTION_DAYS: '30',
  ADMIN_EMAILS: 'grace@acme.example',
  ADMIN_GROUPS: 'rollout',
  RETURN_TO_ORIGINS: 'https://intranet.example',
  MAIL_FROM: 'The search team <search@acme.example>',
  METRICS_TOKEN: 'the-token-of-metrics',
  WEBHOOK_URL: 'http://localhost:9/events?of=acme',
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  COMPANY_FILE,
  DATA_DIR: folder,
})
