// Hostile input in files of admins and operators: lists of people, the company file.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { readPeopleList } from '../../src/campaigns/people-file.ts'
import { readCompany } from '../../src/company/read-company.ts'
import { jsonTextWith, near, must, refusing, type Reader, words } from './inputs.ts'

const peopleLists: Reader = {
  name: 'a list of people',
  input: near(
    'email,name,department,language\nada@acme.example,Ada,Research,de\ngrace@acme.example,"Grace, H.",,en\n',
    '\ufeffE-Mail;Name\r\nada@acme.example;"Ada ""L"""\r\n',
    '{"email":"ada@acme.example","name":"Ada"}\n{"email":"b@acme.example"}\n',
    'ada@acme.example\ngrace@acme.example\n',
  ),
  read: (text) =>
    refusing(['UnreadableList', 'UnreadableCsv'], async () => {
      const half = text.length >> 1
      const pieces = [text.slice(0, half), text.slice(half)].map((piece) => Buffer.from(piece))
      for await (const row of readPeopleList(Readable.from(pieces)))
        must(
          row.kind === 'fault' || !/[\r\n\0]/.test(row.person.email),
          'write to an address with a line break',
        )
    }),
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
    jsonTextWith(...words('name product logo light dark icon color links languages texts datasources')),
  ),
  read(text) {
    writeFileSync(companyFile, text.slice(0, 40_000))
    const { company, faults } = readCompany(companyFile)
    must((company === undefined) === faults.length > 0, 'have faults and a company, or neither')
    must(!faults.some((fault) => /[\r\n]/.test(fault)), 'tell a fault in more than a line')
  },
}

export const files: readonly Reader[] = [peopleLists, companyFiles]
