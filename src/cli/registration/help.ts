// What the commands of the registration say of themselves.

export const registrationHelp = `Usage: onramp registration COMMAND

The client that onramp registers itself where OIDC_CLIENT_ID is not set.

  forget   forgets it, so that onramp registers anew

Every command explains itself: onramp registration COMMAND --help
`

export const registrationForgetHelp = `Usage: onramp registration forget [--yes]

Forgets the client that onramp registered itself with these settings, and what
holds back the next registration after a failure. The client is removed at the
authorization server too, where that gave the means (RFC 7592).

Servers that run register anew within the hour, or when they are restarted.
People stay signed in until their tokens expire, and then sign in again.

Options:
  --yes   does not ask; needed where there is no terminal

Example:
  onramp registration forget --yes

Exit codes: 0 done, 1 not done or the store cannot be reached, 2 wrong usage,
78 settings need correcting.
`
