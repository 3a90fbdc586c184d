// The docs' script that reports bounces from a mailbox.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'

const folder = useFolder()
const [ada, bob] = ['ada@acme.example', 'bob@acme.example']

/** A delivery status notification (RFC 3464). */
const report = (...fields: string[]) => `From: MAILER-DAEMON@mail.acme.example
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.acme.example

${fields.join('\n')}

--b--
`
const REPORTS = {
  postfix: report(
    'Final-Recipient: rfc822; ada.l@new.example',
    `Original-Recipient: rfc822;${ada}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
  ),
  exchange: report(`Final-Recipient: rfc822;${bob}`, 'Action: failed', 'Status: 5.1.10').replaceAll(
    '\n',
    '\r\n',
  ),
  full: report('Final-Recipient: rfc822; dan@acme.example', 'Action: failed', 'Status: 5.2.2'),
  late: report('Final-Recipient: rfc822; eve@acme.example', 'Action: delayed', 'Status: 4.4.1'),
  policy: report('Final-Recipient: rfc822; fay@acme.example', 'Action: failed', 'Status: 5.7.1'),
  answer: 'From: gus@acme.example\nSubject: Out of office\n\nStatus: 5.1.1\n',
}

it('the script in the docs reports only unknown addresses, and moves the emails it read', () => {
  const docs = readFileSync(new URL('../../docs/invitations.md', import.meta.url), 'utf8')
  const script = /```sh\n(cd "\$HOME\/Maildir"[^]*?)```/.exec(docs)?.[1] ?? ''
  const box = join(folder, 'Maildir')
  for (const name of ['new', 'cur']) mkdirSync(join(box, name), { recursive: true })
  for (const [name, text] of Object.entries(REPORTS)) writeFileSync(join(box, 'new', name), text)
  // Replaces the command, and records its input.
  const onramp = join(folder, 'onramp')
  writeFileSync(onramp, `#!/bin/sh\necho "$@" >"${folder}/called"\ncat >>"${folder}/called"\n`)
  chmodSync(onramp, 0o755)
  const run = () =>
    execFileSync('sh', ['-c', script], {
      env: { HOME: folder, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    })
  run()

  expect(readFileSync(join(folder, 'called'), 'utf8').split('\n').toSorted()).toEqual(
    ['', ada, bob, 'invite bounced --list -'].toSorted(),
  )
  expect([readdirSync(join(box, 'new')), readdirSync(join(box, 'cur')).length]).toEqual([[], 6])

  rmSync(join(folder, 'called'))
  run()
  expect(existsSync(join(folder, 'called'))).toBe(false)
})
