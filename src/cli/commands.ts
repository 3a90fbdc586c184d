// Every command: its name, what it is for, its help. The code of a command is loaded when it is called.
import { auditIdHelp } from './audit-id/help.ts'
import { backupHelp } from './backup/help.ts'
import { deprecations } from '@onramp/deprecations/command'
import { doctorHelp } from './doctor/help.ts'
import { forgetHelp, inviteHelp, linkHelp, previewHelp, reportHelp, sendHelp } from './invite/help.ts'
import type { Action, Command, Group } from '@onramp/deprecations/command-line/shell'
import { registrationForgetHelp, registrationHelp } from './registration/help.ts'
import { demoHelp, sandboxHelp, serveHelp } from './serve/help.ts'
import { storeAdoptHelp, storeHelp } from './store/help.ts'
import { statusHelp } from './status/help.ts'
import { VERSION } from '../version.ts'

/** The sandbox is a development package: onramp is installed without it, and its image is built without it. */
function withoutSandbox(): string | undefined {
  try {
    import.meta.resolve('@onramp/sandbox')
    return undefined
  } catch {
    return 'it is for development only, and the sandbox is not installed here: install @onramp/sandbox beside onramp, or run it in a clone of the repository, after npm ci'
  }
}

const invite: readonly Action[] = [
  { name: 'link', help: linkHelp, load: () => import('./invite/link.ts') },
  { name: 'send', help: sendHelp, load: () => import('./invite/send.ts') },
  { name: 'preview', help: previewHelp, load: () => import('./invite/preview.ts') },
  { name: 'report', help: reportHelp, load: () => import('./invite/report.ts') },
  { name: 'forget', help: forgetHelp, load: () => import('./invite/forget.ts') },
]

const registration: readonly Action[] = [
  { name: 'forget', help: registrationForgetHelp, load: () => import('./registration/forget.ts') },
]

const store: readonly Action[] = [
  { name: 'adopt', help: storeAdoptHelp, load: () => import('./store/adopt.ts') },
]

type Row = [summary: string, command: Command]

const rows: readonly Row[] = [
  ['start the server', { name: 'serve', help: serveHelp, load: () => import('./serve/serve.ts') }],
  ['invite people by link or email; track progress', { name: 'invite', help: inviteHelp, commands: invite }],
  [
    'run the server with the sandbox',
    { name: 'demo', help: demoHelp, unavailable: withoutSandbox, load: () => import('./serve/demo.ts') },
  ],
  [
    'check the configuration and suggest fixes',
    { name: 'doctor', help: doctorHelp, load: () => import('./doctor/doctor.ts') },
  ],
  [
    'show what someone still has to connect',
    { name: 'status', help: statusHelp, load: () => import('./status/status.ts') },
  ],
  [
    "show a person's ID in the audit log",
    { name: 'audit-id', help: auditIdHelp, load: () => import('./audit-id/audit-id.ts') },
  ],
  [
    'copy the embedded store while the server runs',
    { name: 'backup', help: backupHelp, load: () => import('./backup/backup.ts') },
  ],
  ['find uses of deprecated APIs', deprecations],
  [
    'the client that onramp registered for itself',
    { name: 'registration', help: registrationHelp, commands: registration },
  ],
  ['use a store whose secret is lost', { name: 'store', help: storeHelp, commands: store }],
  [
    'run a local stand-in for the search service',
    {
      name: 'sandbox',
      help: sandboxHelp,
      unavailable: withoutSandbox,
      load: () => import('./serve/sandbox.ts'),
    },
  ],
]

export const commands = rows.map(([, command]) => command)

/** The first line of a help text, without the options. */
const usageOf = ({ help }: Command) => /^Usage: onramp (.*?)( \[-.*| \[options\])?$/m.exec(help)?.[1] ?? ''

const isAvailable = (command: Command) => !('load' in command) || command.unavailable?.() === undefined
const offered = rows.filter(([, command]) => isAvailable(command))
const width = Math.max(...offered.map(([, command]) => usageOf(command).length))
const lines = offered.map(([summary, command]) => `  ${usageOf(command).padEnd(width)}   ${summary}\n`)

export const onramp: Group = {
  name: 'onramp',
  help: `Usage: onramp COMMAND [options]\n\n${lines.join('')}\nRun "onramp COMMAND --help" for details, "onramp --version" for the version.\n`,
  version: VERSION,
  commands,
}
