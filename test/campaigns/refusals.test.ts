// When a run stops over emails that were not sent, what it says, and who counts as not tried.
import { describe, expect, it } from 'vitest'
import type { Posted } from '../../src/campaigns/mail/outcome.ts'
import { createRefusals } from '../../src/campaigns/refusals.ts'

const sent: Posted = { outcome: 'sent' }
const deferred: Posted = { outcome: 'deferred', reply: '450 not now' }
const unknown: Posted = { outcome: 'unknown', reply: 'the connection broke' }
const ofSender: Posted = { outcome: 'refused', reply: '554 5.7.1 sender rejected', blame: 'sender' }
const ofSystem: Posted = { outcome: 'refused', reply: '554 relay access denied', blame: 'system' }
const closing: Posted = { outcome: 'refused', reply: '421 closing', blame: 'closing' }
const silent: Posted = { outcome: 'refused', reply: 'the connection broke', blame: 'closing' }
const unclear: Posted = { outcome: 'failed', reply: '550 no', blame: 'unclear' }
const gone: Posted = { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' }

const times = (count: number, posted: Posted) => Array.from({ length: count }, () => posted)

/** A run with these outcomes, told of one after the other until it stops. Emails are numbered. */
function told(stopAfter: number, outcomes: Posted[], isFirst = true) {
  const refusals = createRefusals(stopAfter)
  let count = 0
  const tell = (all: Posted[]) => {
    for (const posted of all) {
      const why = refusals.note(posted, { email: `p${++count}`, reminder: 2 }, isFirst)
      if (why !== undefined) return why
    }
    return undefined
  }
  const why = tell(outcomes)
  return { refusals, why, count, tell, unmarked: () => refusals.toUnmark().map(({ email }) => email) }
}

const OTHERWISE = '; if the list is the cause, --stop-after 0 continues'
const ADVICE = `check SMTP_URL and MAIL_FROM${OTHERWISE}`
const IN_A_ROW = "many emails in a row were not sent, which is hardly the recipients' fault."
const NO_ONE = ' None of these people counts as rejected.'
const SENDER =
  'the mail server refuses the sender, so no email can leave (it says: 554 5.7.1 sender rejected): see MAIL_FROM, and the name and password in SMTP_URL'

describe('a run is stopped', () => {
  it.each<[string, Posted[], number]>([
    ['the sender is refused', times(9, ofSender), 5],
    ['this machine is refused', times(9, ofSystem), 5],
    ['every connection is closed', times(9, closing), 5],
    ['nothing says why', times(9, unclear), 5],
    ['no one knows what arrived', times(9, unknown), 5],
    ['everyone is said to be gone', times(30, gone), 20],
    ['the sender is refused behind an email that was taken', [sent, ...times(30, ofSender)], 21],
    ['this machine is refused behind an email that was taken', [sent, ...times(9, ofSystem)], 6],
    ['nothing says why behind an email that was taken', [sent, ...times(9, unclear)], 6],
    ['it is some of all', [gone, gone, unclear, unknown, ofSystem, gone, gone, ofSystem], 8],
  ])('by the weight of five where %s', (_what, outcomes, count) => {
    const run = told(5, outcomes)
    expect(run.why).toEqual(expect.any(String))
    expect(run.count).toBe(count)
  })

  it('after two hundred who are put off again, never for the first time', () => {
    expect(told(5, times(300, deferred), false)).toMatchObject({ count: 200 })
    expect(told(5, times(300, deferred)).why).toBeUndefined()
  })

  it('not where emails are taken in between, and never by --stop-after 0', () => {
    expect(told(5, [...times(4, unclear), sent, ...times(4, unclear), sent]).why).toBeUndefined()
    expect(told(0, times(500, ofSender)).why).toBeUndefined()
  })

  it('once more emails were refused than taken, from twenty on', () => {
    const mixed = (count: number, posted: Posted) =>
      Array.from({ length: count }, () => [sent, posted]).flat()
    expect(told(5, [gone, ...mixed(18, gone)]).why).toBeUndefined()
    const run = told(5, [gone, ...mixed(19, gone)])
    expect(run.why).toBe(
      `more emails were refused than taken, which is hardly the recipients' fault.${NO_ONE} The mail server says: 550 5.1.1 unknown: ${ADVICE}`,
    )
    expect(run.unmarked()).toHaveLength(20)
    expect(told(5, [gone, gone, ...mixed(18, ofSystem)]).why).toContain('more emails were refused than taken')
    expect(told(5, mixed(40, gone)).why).toBeUndefined()
    expect(told(5, [unknown, ...mixed(40, unknown)]).why).toBeUndefined()
  })

  it('remembers a thousand of those who were refused', () => {
    const { unmarked } = told(1_000, [...times(1_100, sent), ...times(1_101, gone)])
    expect(unmarked()).toHaveLength(1_000)
    expect(unmarked()[0]).toBe('p1202')
  })
})

describe('why it stopped', () => {
  it.each<[Posted, string]>([
    [ofSender, `${SENDER}${OTHERWISE}`],
    [closing, `the mail server closes every connection (it says: 421 closing): see SMTP_URL${OTHERWISE}`],
    [
      silent,
      `the mail server accepted no email (the connection broke). Check SMTP_URL and MAIL_FROM${OTHERWISE}`,
    ],
    [ofSystem, `${IN_A_ROW} The mail server says: 554 relay access denied: ${ADVICE}`],
    [unclear, `${IN_A_ROW}${NO_ONE} The mail server says: 550 no: ${ADVICE}`],
    [unknown, `${IN_A_ROW} What happened: the connection broke: ${ADVICE}`],
  ])('says what the mail server has against everyone, or that it is no one’s fault: %j', (posted, why) => {
    expect(told(1, [posted]).why).toBe(why)
  })

  it('does not say that no email can leave where one has left, now or earlier', () => {
    const inARow = `${IN_A_ROW} The mail server says: 554 5.7.1 sender rejected: ${ADVICE}`
    expect(told(1, [sent, ...times(4, ofSender)]).why).toBe(inARow)
    const run = told(2, [])
    run.refusals.earlier()
    expect(run.tell(times(2, ofSender))).toBe(inARow)
  })
})

describe('people who were refused', () => {
  it('in the row that ended the run count as not tried, and those before it as refused', () => {
    const run = told(2, [gone, sent, unclear, unclear])
    expect(run.refusals.toUnmark()).toMatchObject([
      { email: 'p3', reminder: 2 },
      { email: 'p4', reminder: 2 },
    ])
    run.refusals.end()
    expect(run.unmarked()).toEqual(['p3', 'p4'])
    // What was under way says nothing more.
    run.tell([sent])
    run.tell([gone])
    expect(run.unmarked()).toEqual(['p3', 'p4', 'p6'])
  })

  it('stay as they are while the run goes on', () => {
    expect(told(5, [unclear, gone]).unmarked()).toEqual([])
  })

  it.each<[string, Posted[], string[]]>([
    ['without saying why, where no email was taken', [unclear, gone, ofSystem, unclear], ['p1', 'p4']],
    ['without saying why, where one was', [unclear, sent, unclear], []],
  ])('at the end of the list %s', (_what, outcomes, unmarked) => {
    const run = told(5, outcomes)
    run.refusals.end()
    expect(run.unmarked()).toEqual(unmarked)
    const regardless = told(0, outcomes)
    regardless.refusals.end()
    expect(regardless.unmarked()).toEqual([])
  })

  it('in the same words, ten of them behind the last email that was taken, did hardly all leave', () => {
    const unlike = (n: number): Posted => {
      const [a, b] = ['abcdefghij'[n], 'klmnopqrst'[n]]
      return { ...gone, reply: `550 ${n}${a} mailbox <${a}${n}@acme.${b}> is gone (id-${a}7${b})` }
    }
    const alike = Array.from({ length: 10 }, (_, n) => unlike(n))
    const ends = (outcomes: Posted[]) => {
      const run = told(50, outcomes)
      run.refusals.end()
      return run.unmarked().length
    }
    expect(ends(alike)).toBe(10)
    expect(ends(alike.slice(1))).toBe(0)
    expect(ends([...alike.slice(1), gone])).toBe(0)
    expect(ends([sent, gone, ...alike])).toBe(10)
    expect(ends([...alike.slice(1), sent, ...alike.slice(9)])).toBe(0)
    expect(ends([...times(5, { ...gone, reply: 'a b' }), ...times(5, { ...gone, reply: 'ab' })])).toBe(0)
  })
})

describe('tries that the mail server delayed', () => {
  it('count for no one where many were; a first try does, and one of someone who then got another answer', () => {
    const { refusals, tell } = told(5, times(6, deferred), false)
    refusals.note(deferred, { email: 'new', reminder: 2 }, true)
    refusals.note(gone, { email: 'p2', reminder: 2 }, false)
    const others = ['p1', 'p3', 'p4', 'p5', 'p6'].map((email) => ({ email, reminder: 2 }))
    expect(refusals.putOff()).toEqual(others)
    tell([sent])
    expect(refusals.putOff()).toEqual([])
  })
})

describe('why a run that sent no email has failed', () => {
  const failure = (outcomes: Posted[], { isKnown = false, stopAfter = 5 } = {}) => {
    const run = told(stopAfter, outcomes)
    if (isKnown) run.refusals.earlier()
    run.refusals.end()
    return run.refusals.failure()
  }
  const COUNTS = '; if the list is the cause, --stop-after 0 counts these people as rejected'

  it.each<[string, Posted[], { isKnown?: boolean; stopAfter?: number }, string | undefined]>([
    ['the last objection that is about no person', [ofSystem, ofSender, gone], {}, SENDER],
    ['nothing where an email was taken', [ofSender, sent], {}, undefined],
    ['nothing where all were about people', [gone, gone], {}, undefined],
    ['nothing where no one was refused', [deferred, unknown], {}, undefined],
    ['nothing where someone had their email earlier', [ofSender], { isKnown: true }, undefined],
    [
      'what it said, and how to have it count',
      [unclear],
      { isKnown: true },
      `the mail server accepted no email (it says: 550 no). Check SMTP_URL and MAIL_FROM${COUNTS}`,
    ],
    [
      'what it said of each, in the same words',
      [...times(10, gone), unknown],
      {},
      `the mail server accepted no email (it says: 550 5.1.1 unknown). Check SMTP_URL and MAIL_FROM${COUNTS}`,
    ],
    [
      'what it said, also with --stop-after 0',
      [unclear, gone],
      { stopAfter: 0 },
      'the mail server accepted no email (it says: 550 no). Check SMTP_URL and MAIL_FROM',
    ],
  ])('is %s', (_what, outcomes, given, words) => {
    expect(failure(outcomes, given)).toBe(words)
  })
})
