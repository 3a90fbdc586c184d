// The help texts of the server, of the sandbox, and of both together.

export const serveHelp = `Usage: onramp serve

Starts the server. Its settings come from the environment: see docs/settings.md
or .env.example. It listens before the authorization server or the store
can be reached. On SIGTERM it answers the requests in flight and ends.

Exit codes: 0 ended by a signal, 1 the port is taken, 2 wrong usage,
78 settings need correcting (each is named, with what is wrong).
`

export const sandboxHelp = `Usage: onramp sandbox

Starts a local stand-in for the whole service on six consecutive ports
(from SANDBOX_PORT, 4000 by default): the service, its authorization server, an
external identity provider, the datasources' consent pages, a control page with
switches, and a mail server that delivers nothing. SANDBOX_COMPANY=5000 adds
5,000 generated people.

For development only: it listens on loopback addresses only and keeps everything
in memory. In a container, SANDBOX_BIND=0.0.0.0 lets published ports reach it.

Exit codes: 0 ended by a signal, 1 a port is taken, 2 wrong usage.
`

export const demoHelp = `Usage: onramp demo

Starts the sandbox and onramp beside it, on the embedded store, and prints where
to go and whom to sign in as. PORT (3000 by default) is onramp's port,
SANDBOX_PORT (4000 by default) the first of the sandbox's six.

Exit codes: 0 ended by a signal, 1 a port is taken, 2 wrong usage,
78 settings need correcting.
`
