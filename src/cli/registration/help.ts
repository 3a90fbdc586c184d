// The help texts of `onramp registration`.

export const registrationHelp = `Usage: onramp registration COMMAND

The client that onramp registers for itself if OIDC_CLIENT_ID is not set.

  forget   delete it, so that onramp registers again

Run "onramp registration COMMAND --help" for details.
`

export const registrationForgetHelp = `Usage: onramp registration forget [--yes]

Deletes the client that onramp registered with these settings, and the pause
after a failed registration. The client is also removed from the authorization
server, if the server supports that (RFC 7592).

Running servers register again within the hour, or when they are restarted.
People stay signed in until their tokens expire, and then sign in again.

Options:
  --yes   skip the confirmation prompt; required without a terminal

Example:
  onramp registration forget --yes

Exit codes: 0 success, 1 not confirmed or store unreachable, 2 usage error,
78 configuration error.
`
