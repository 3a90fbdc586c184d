// Every command: its name, what it is for, its help. The code of one is loaded when it is called.
import { doctorHelp } from './doctor-help.ts'
import type { Run } from './parts.ts'
import { statusHelp } from './status-help.ts'

export type Command = {
  name: string
  usage: string
  summary: string
  /** Absent: the command explains itself. */
  help?: string
  load: () => Promise<{ run: Run }>
}

const serveHelp = `Usage: onramp serve

Starts the server. It is configured by its environment: see the README's table of settings, or .env.example.
It listens before the authorization server or the store can be reached, and ends on SIGTERM after the requests in flight.

Exit codes: 0 ended by a signal, 1 the port is taken, 78 settings need mending (each is named with how).
`

const sandboxHelp = `Usage: onramp sandbox

Starts a local stand-in for the whole service on six consecutive ports (SANDBOX_PORT, 4000 unless set): the service, its
authorization server, an external identity provider, the datasources' consent pages, a control page with switches, and a
mail server that delivers nothing. SANDBOX_COMPANY=5000 adds so many generated people.
For development only: it listens on loopback addresses only and keeps everything in memory.
`

const demoHelp = `Usage: onramp demo

Starts the sandbox and onramp beside it, on the embedded store, and says where to go and whom to sign in as.
PORT (3000 unless set) is onramp's port, SANDBOX_PORT (4000 unless set) the first of the sandbox's six.
`

export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: 'serve',
    summary: 'start the server',
    help: serveHelp,
    load: () => import('./serve.ts'),
  },
  {
    name: 'invite',
    usage: 'invite link|send|report',
    summary: 'invitations: a link, mails to many, how far everybody is',
    load: () => import('./invite.ts'),
  },
  {
    name: 'demo',
    usage: 'demo',
    summary: 'the server and the sandbox together',
    help: demoHelp,
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
    name: 'deprecations',
    usage: 'deprecations [list|check|calendar|diff|schema]',
    summary: 'what the service will remove, and where it is used',
    load: () => import('./deprecations.ts'),
  },
  {
    name: 'sandbox',
    usage: 'sandbox',
    summary: 'a stand-in for the service',
    help: sandboxHelp,
    load: () => import('./sandbox.ts'),
  },
]
