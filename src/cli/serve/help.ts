// The help texts of the server, of the sandbox, and of both together.

export const serveHelp = `Usage: onramp serve

Starts the server. Configure it with environment variables: see docs/settings.md
or .env.example. It starts listening before the authorization server and store
are reachable, and shuts down gracefully on SIGTERM.

Exit codes: 0 stopped by a signal, 1 port in use, 2 usage error,
78 configuration error (each problem is listed with its fix).
`

export const sandboxHelp = `Usage: onramp sandbox

Starts a local stand-in for the search service on six consecutive ports
(from SANDBOX_PORT, default: 4000): the service, its authorization server, an
external identity provider, the apps' consent pages, a control panel with
switches, and a mail server that doesn't deliver anything. SANDBOX_COMPANY=5000
adds 5,000 generated people.

Development only: it listens on loopback addresses and keeps everything in
memory. In a container, SANDBOX_BIND=0.0.0.0 lets published ports reach it.

Exit codes: 0 stopped by a signal, 1 port in use, 2 usage error.
`

export const demoHelp = `Usage: onramp demo

Starts onramp and the sandbox with the embedded store, and prints the URL and
test users. PORT sets onramp's port (default: 3000); SANDBOX_PORT sets the first
of the sandbox's six ports (default: 4000).

Exit codes: 0 stopped by a signal, 1 port in use, 2 usage error,
78 configuration error.
`
