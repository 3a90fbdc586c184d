// Sends to as many generated people as it is told, with a service and a mail server that always say yes, and the real
// store; prints how much memory it took and how long. A process of its own, so that nothing else is measured.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPeople } from '../../src/people/people.ts'
import { createLedger } from '../../src/campaigns/ledger.ts'
import { createPace } from '../../src/campaigns/pace.ts'
import { readPeople } from '../../src/campaigns/people-file.ts'
import { profilesOf } from '../../src/admin/profile.ts'
import { makeReport } from '../../src/admin/report.ts'
import { sendInvitations } from '../../src/campaigns/send.ts'
import { newTally } from '../../src/campaigns/tally.ts'
import { createInstallation } from '../../src/records/installation.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'

const people = Number(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'onramp-memory-'))
const records = createSqliteRecords(folder)
const everyone = createPeople({
  records,
  installation: createInstallation(records, ['a secret of thirty-two characters']),
  now: Date.now,
  retentionDays: 90,
})
const signal = new AbortController().signal
const pace = createPace({ perSecond: 1e9, now: Date.now, signal })
const tally = newTally()
const left = ['Slack', 'GitHub', 'Jira'].map((name) => ({
  instance: `${name.toLowerCase()}_1`,
  name,
  status: 'awaiting' as const,
}))

async function* list() {
  yield 'email,name\n'
  for (let number = 0; number < people; number++) yield `person-${number}@acme.example,Person ${number}\n`
}

let heap = 0
const sample = () => {
  globalThis.gc?.()
  heap = Math.max(heap, process.memoryUsage().heapUsed)
}
const startedAt = Date.now()
const mail = {
  from: { name: '', address: '' },
  to: '',
  subject: '',
  text: '',
  html: '',
  messageId: '',
  headers: {},
}
const policy = {
  campaign: 'memory',
  maxReminders: 0,
  retryUnknown: false,
  retryFailed: false,
  minGapMs: 0,
  freshMs: 0,
}
await sendInvitations(readPeople(list()), {
  ledger: createLedger({
    people: everyone,
    policy,
    isHeld: () => Promise.resolve(true),
    now: Date.now,
    signal,
  }),
  ask: (email) => Promise.resolve({ kind: 'left', left: /[02468]@/.test(email) ? left : [] }),
  compose: () => Promise.resolve(mail),
  post: () => {
    if (tally.sent % Math.ceil(people / 20) === 0) sample()
    return Promise.resolve({ outcome: 'sent' })
  },
  mailPace: pace,
  isAbout: () => true,
  onFault: () => {},
  onWouldSend: () => {},
  onTrouble: () => {},
  onOver: () => {},
  atOnce: 4,
  limit: Infinity,
  signal,
  tally,
})
const seconds = (Date.now() - startedAt) / 1000
sample()
const reportedAt = Date.now()
const { invited } = await makeReport(profilesOf(everyone.all()), Date.now())
sample()
const reportSeconds = (Date.now() - reportedAt) / 1000
console.log(JSON.stringify({ people, sent: tally.sent, invited, heapMb: heap / 1e6, seconds, reportSeconds }))
records.close()
rmSync(folder, { recursive: true, force: true })
