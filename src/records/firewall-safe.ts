// Encodes random and sealed values in URLs and cookies so that web application firewalls let them through. Pure.

/** True if the OWASP core rule set blocks the value: `--` (942440), `0x1f` (942450), `.env` and others (930120). */
export const triggersFirewall = (value: string): boolean => /--|\b0x|\.[a-z]{3}/i.test(value)

/** Base64url with letters, digits and _ only, which no rule matches. It is 3% longer. */
export const encodeFirewallSafe = (base64url: string): string =>
  base64url.replaceAll(/[-_]/g, (character) => (character === '-' ? '_d' : '_u'))

export const decodeFirewallSafe = (spelled: string): string =>
  spelled.replaceAll(/_[du]/g, (pair) => (pair === '_d' ? '-' : '_'))
