// Every command: its name, what it is for, its help. The code of one is loaded when it is called.
import { auditIdHelp } from './audit-id/help.ts'
import { deprecations } from '@onramp/deprecations/command'
import { doctorHelp } from './doctor/help.ts'
import { forgetHelp, inviteHelp, linkHelp, previewHelp, reportHelp, sendHelp } from './invite/help.ts'
import type { Action, Command, Group } from '@onramp/deprecations/command-line/shell'
import { registrationForgetHelp, registrationHelp } from './registration/help.ts'
import { demoHelp, sandboxHelp, serveHelp } from './serve/help.ts'
import { statusHelp } from './status/help.ts'

/** The sandbox is a development package, which a production install leaves out. */
function withoutSandbox(): string | undefined {
  try {
    import.meta.resolve('@onramp/sandbox')
    return undefined
  } catch {
    return 'it is for development, and this installation leaves out the sandbox: run it in a clone of the sources, after npm ci'
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

export const commands: readonly (Command & { usage: string; summary: string })[] = [
  {
    name: 'serve',
    usage: 'serve',
    summary: 'start the server',
    help: serveHelp,
    load: () => import('./serve/serve.ts'),
  },
  {
    name: 'invite',
    usage: 'invite COMMAND',
    summary: 'a link, mails to many, how far people are',
    help: inviteHelp,
    commands: invite,
  },
  {
    name: 'demo',
    usage: 'demo',
    summary: 'the server and the sandbox together',
    help: demoHelp,
    unavailable: withoutSandbox,
    load: () => import('./serve/demo.ts'),
  },
  {
    name: 'doctor',
    usage: 'doctor',
    summary: 'what is wrong with the set-up, and what to change',
    help: doctorHelp,
    load: () => import('./doctor/doctor.ts'),
  },
  {
    name: 'status',
    usage: 'status [EMAIL]',
    summary: 'what a person still has to connect',
    help: statusHelp,
    load: () => import('./status/status.ts'),
  },
  {
    name: 'audit-id',
    usage: 'audit-id EMAIL',
    summary: 'what stands for a person in the audit log',
    help: auditIdHelp,
    load: () => import('./audit-id/audit-id.ts'),
  },
  {
    ...deprecations,
    usage: 'deprecations [COMMAND]',
    summary: 'what the service will remove, and where it is used',
  },
  {
    name: 'registration',
    usage: 'registration COMMAND',
    summary: 'the client that onramp registers itself',
    help: registrationHelp,
    commands: registration,
  },
  {
    name: 'sandbox',
    usage: 'sandbox',
    summary: 'a stand-in for the service',
    help: sandboxHelp,
    unavailable: withoutSandbox,
    load: () => import('./serve/sandbox.ts'),
  },
]

const isAvailable = (command: Command) => !('load' in command) || command.unavailable?.() === undefined

const offered = commands.filter(isAvailable)
const width = Math.max(...offered.map(({ usage }) => usage.length))
const lines = offered.map(({ usage, summary }) => `  ${usage.padEnd(width)}   ${summary}`)

export const onramp: Group = {
  name: 'onramp',
  help: `Usage: onramp COMMAND [options]\n\n${lines.join('\n')}\n\nEvery command explains itself: onramp COMMAND --help\n`,
  commands,
}
