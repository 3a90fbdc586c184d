// What admins and operators write: lists of people, the company file, settings.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { UnreadableCsv } from '../../src/people/csv.ts'
import { UnreadablePeople } from '../../src/campaigns/invitee.ts'
import { readPeople } from '../../src/campaigns/people-file.ts'
import { readCompany } from '../../src/company/read-company.ts'
import { loadSettings, SettingsError } from '../../src/settings/settings.ts'
import { jsonTextWith, near } from './inputs.ts'
import { must, refusing, type Reader } from './reader.ts'

const OWN = 'https://onramp.acme.example'

const peopleLists: Reader = {
  name: 'a list of people',
  input: near(
    'email,name,department,language\nada@acme.example,Ada,Research,de\ngrace@acme.example,"Grace, H.",,en\n',
    '\ufeffE-Mail;Name\r\nada@acme.example;"Ada ""L"""\r\n',
    '{"email":"ada@acme.example","name":"Ada"}\n{"email":"b@acme.example"}\n',
    'ada@acme.example\ngrace@acme.example\n',
  ),
  read: (text) =>
    refusing([UnreadablePeople, UnreadableCsv], async () => {
      const half = text.length >> 1
      const pieces = [text.slice(0, half), text.slice(half)].map((piece) => Buffer.from(piece))
      for await (const row of readPeople(fromEach(pieces)))
        must(
          row.kind === 'fault' || !/[\r\n\0]/.test(row.person.email),
          'write to an address with a line break',
        )
    }),
}

async function* fromEach(pieces: readonly Buffer[]) {
  yield* pieces
}

const folder = mkdtempSync(join(tmpdir(), 'onramp-hostile-'))
const companyFile = join(folder, 'company.yaml')

const companyFiles: Reader = {
  name: 'a company file',
  input: fc.oneof(
    near(
      'name: Acme\nlogo: { light: logo.svg }\ncolor: { light: "#0a5c36" }\nlanguages: [en, de]\n',
      'name: { en: Acme, ar: أكمي }\ndatasources:\n  slack:\n    reads: [Messages]\n    order: 1\n    hidden: no\n',
      'texts:\n  en:\n    walk.title: "Hello {name}"\nlinks:\n  help: { url: "https://x.example", label: Help }\n',
      'a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n',
    ),
    jsonTextWith(
      'name',
      'product',
      'logo',
      'light',
      'dark',
      'icon',
      'color',
      'links',
      'languages',
      'texts',
      'datasources',
    ),
  ),
  read(text) {
    writeFileSync(companyFile, text.slice(0, 40_000))
    const { company, faults } = readCompany(companyFile)
    must((company === undefined) === faults.length > 0, 'have faults and a company, or neither')
    must(!faults.some((fault) => /[\r\n]/.test(fault)), 'tell a fault in more than a line')
  },
}

const settingNames = [
  ...'PUBLIC_URL SERVICE_BASE_URL OIDC_ISSUER OIDC_SCOPE OIDC_PROMPT RETURN_TO_ORIGINS REDIS_URL SMTP_URL'.split(
    ' ',
  ),
  ...'MAIL_FROM TRUST_PROXY NO_PROXY HTTPS_PROXY ADMIN_EMAILS ADMIN_GROUPS METRICS_PORT REDIS_SENTINELS'.split(
    ' ',
  ),
]
const wellSet = {
  PUBLIC_URL: OWN,
  SERVICE_BASE_URL: 'https://acme.service.example',
  OIDC_ISSUER: 'https://login.acme.example',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: 'shhh-not-to-be-told',
  SESSION_SECRET: 'n0t-to-be-told-0123456789abcdefghijklmn',
}

const settings: Reader = {
  name: 'settings',
  input: near(
    OWN,
    'redis://:pw@127.0.0.1:6379/1',
    'smtps://u:p@mail.example',
    'Acme <it@acme.example>',
    'a,b, c',
    '1',
    'yes',
  ),
  read: (text) =>
    refusing([SettingsError], () => {
      const name = settingNames[text.length % settingNames.length] ?? ''
      loadSettings({ ...wellSet, [name]: text })
    }),
}

export const files: readonly Reader[] = [peopleLists, companyFiles, settings]
