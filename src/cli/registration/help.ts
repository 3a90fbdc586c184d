// The help texts of `onramp registration`.

export const registrationHelp = `Usage: onramp registration COMMAND

The client that onramp registers itself where OIDC_CLIENT_ID is not set.

  forget   forgets it, so that onramp registers again

Every command explains itself: onramp registration COMMAND --help
`

export const registrationForgetHelp = `Usage: onramp registration forget [--yes]

Forgets the client that onramp registered itself with these settings, and the
pause after a registration that failed. The client is removed at the
authorization server too, if that offers it (RFC 7592).

Running servers register again within the hour, or when they are restarted.
People stay signed in until their tokens expire, and then sign in again.

Options:
  --yes   does not ask for confirmation; required without a terminal

Example:
  onramp registration forget --yes

Exit codes: 0 done, 1 not done or the store cannot be reached, 2 wrong usage,
78 settings need correcting.
`
