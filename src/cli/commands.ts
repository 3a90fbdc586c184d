// Every command: its name, what it is for, its help. The code of one is loaded when it is called.
import { auditIdHelp } from './audit-id-help.ts'
import * as deprecations from './deprecations-help.ts'
import { doctorHelp } from './doctor-help.ts'
import { forgetHelp, inviteHelp, linkHelp, previewHelp, reportHelp, sendHelp } from './invite-help.ts'
import type { Run } from './parts.ts'
import { registrationForgetHelp, registrationHelp } from './registration-help.ts'
import { demoHelp, sandboxHelp, serveHelp } from './serve-help.ts'
import { statusHelp } from './status-help.ts'

type Named = { name: string; help: string }

/** What only a development installation has; an image without it doesn't offer the commands that need it. */
const FOR_DEVELOPMENT = ['oidc-provider', 'postal-mime', 'smtp-server']

export type Action = Named & {
  load: () => Promise<{ run: Run }>
  /** Packages that an installation may lack. */
  needs?: readonly string[]
  /** The exit code for being called wrongly, where it is not 2. */
  wrongUsage?: number
}

export type Group = Named & {
  commands: readonly Command[]
  /** The one that is meant when none is named. */
  standard?: string
}

export type Command = Action | Group

const invite: readonly Action[] = [
  { name: 'link', help: linkHelp, load: () => import('./invite-link.ts') },
  { name: 'send', help: sendHelp, load: () => import('./invite-send.ts') },
  { name: 'preview', help: previewHelp, load: () => import('./invite-preview.ts') },
  { name: 'report', help: reportHelp, load: () => import('./invite-report.ts') },
  { name: 'forget', help: forgetHelp, load: () => import('./invite-forget.ts') },
]

const deprecationsCommands: readonly Action[] = [
  { name: 'list', help: deprecations.listHelp, load: () => import('./deprecations-list.ts') },
  // Where 2 is a finding, wrong usage ends in 1.
  {
    name: 'check',
    help: deprecations.checkHelp,
    load: () => import('./deprecations-check.ts'),
    wrongUsage: 1,
  },
  { name: 'calendar', help: deprecations.calendarHelp, load: () => import('./deprecations-calendar.ts') },
  { name: 'diff', help: deprecations.diffHelp, load: () => import('./deprecations-diff.ts') },
  { name: 'schema', help: deprecations.schemaHelp, load: () => import('./deprecations-schema.ts') },
]

const registration: readonly Action[] = [
  { name: 'forget', help: registrationForgetHelp, load: () => import('./registration-forget.ts') },
]

export const commands: readonly (Command & { usage: string; summary: string })[] = [
  {
    name: 'serve',
    usage: 'serve',
    summary: 'start the server',
    help: serveHelp,
    load: () => import('./serve.ts'),
  },
  {
    name: 'invite',
    usage: 'invite COMMAND',
    summary: 'a link, mails to many, how far everybody is',
    help: inviteHelp,
    commands: invite,
  },
  {
    name: 'demo',
    usage: 'demo',
    summary: 'the server and the sandbox together',
    help: demoHelp,
    needs: FOR_DEVELOPMENT,
    load: () => import('./demo.ts'),
  },
  {
    name: 'doctor',
    usage: 'doctor',
    summary: 'what is wrong with the set-up, and what to change',
    help: doctorHelp,
    load: () => import('./doctor.ts'),
  },
  {
    name: 'status',
    usage: 'status [EMAIL]',
    summary: 'what a person still has to connect',
    help: statusHelp,
    load: () => import('./status.ts'),
  },
  {
    name: 'audit-id',
    usage: 'audit-id EMAIL',
    summary: 'what stands for a person in the audit log',
    help: auditIdHelp,
    load: () => import('./audit-id.ts'),
  },
  {
    name: 'deprecations',
    usage: 'deprecations [COMMAND]',
    summary: 'what the service will remove, and where it is used',
    help: deprecations.deprecationsHelp,
    commands: deprecationsCommands,
    standard: 'list',
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
    needs: FOR_DEVELOPMENT,
    load: () => import('./sandbox.ts'),
  },
]

/** Those of the packages that are not installed here. */
export function missingFor(command: Command): string[] {
  const needs = 'load' in command ? (command.needs ?? []) : []
  return needs.filter((name) => {
    try {
      return import.meta.resolve(name) === ''
    } catch {
      return true
    }
  })
}

const offered = commands.filter((command) => missingFor(command).length === 0)
const width = Math.max(...offered.map(({ usage }) => usage.length))
const lines = offered.map(({ usage, summary }) => `  ${usage.padEnd(width)}   ${summary}`)

export const onramp: Group = {
  name: 'onramp',
  help: `Usage: onramp COMMAND [options]\n\n${lines.join('\n')}\n\nEvery command explains itself: onramp COMMAND --help\n`,
  commands,
}
