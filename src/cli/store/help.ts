// The help texts of `onramp store`.

export const storeHelp = `Usage: onramp store COMMAND

The store that REDIS_URL and REDIS_PREFIX, or DATA_DIR, name.

  adopt   use a store whose key no secret in SESSION_SECRET opens

Run "onramp store COMMAND --help" for details.
`

export const storeAdoptHelp = `Usage: onramp store adopt [--yes]

Gives the store a new key, sealed under SESSION_SECRET. Use it when the former
secret is lost and onramp refuses to start. What was stored about people can't
be read from then on: who was emailed, who opted out, and everyone's progress.

If you still have the former secret, add it as the second one in SESSION_SECRET
instead: nothing is lost then.

Options:
  --yes   skip the confirmation prompt; required without a terminal

Example:
  onramp store adopt --yes

Exit codes: 0 success, 1 not confirmed or store unreachable, 2 usage error,
78 configuration error.
`
