// How random and sealed values are spelled where addresses and cookies carry them, so that firewalls let them through. Pure.

/** What the OWASP core rule set takes for an attack: `--` (942440), `0x1f` (942450), `.env` and other files (930120). */
export const triggersFirewall = (value: string): boolean => /--|\b0x|\.[a-z]{3}/i.test(value)

/** Base64url as letters, digits and _ alone, which no rule can read anything into. It gets 3 % longer. */
export const encodeFirewallSafe = (base64url: string): string =>
  base64url.replaceAll(/[-_]/g, (character) => (character === '-' ? '_d' : '_u'))

/** Base64url again, of what `encodeFirewallSafe` gave. */
export const decodeFirewallSafe = (spelled: string): string =>
  spelled.replaceAll(/_[du]/g, (pair) => (pair === '_d' ? '-' : '_'))
