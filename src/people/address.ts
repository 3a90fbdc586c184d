// Email addresses: which ones we take, when two are the same person, and how one is shown to someone else. Pure.
import { isActAsAddress } from '../client-api/credentials.ts'

/**
 * The form in which addresses are compared: no spaces around it, A to Z in lower case, nothing else changed. Folding
 * turns other letters into different ones: U+212A (Kelvin sign) becomes `k`, by lower case as by NFC, and U+FF4B by
 * NFKC. So an address that is not ASCII never equals one that is.
 */
export const normalizedAddress = (address: string): string =>
  address.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameAddress = (one: string, other: string): boolean =>
  normalizedAddress(one) === normalizedAddress(other)

/** Only an ASCII address may give anyone a right. */
export const isAscii = (address: string): boolean => /^[\x20-\x7e]*$/.test(address)

/**
 * The address of a person to invite, normalized. Undefined for anything but one plain address, because it goes into a
 * header of the service's (X-Service-ActAs) and into the header of an email.
 */
export function addressToInvite(text: string): string | undefined {
  const address = normalizedAddress(text.trim())
  const local = address.slice(0, address.lastIndexOf('@'))
  const isPlain = isActAsAddress(address) && !/^\.|\.\.|\.$/.test(local) && /@[^@]*[a-z0-9]$/.test(address)
  return isPlain ? address : undefined
}

/** `ada@acme.example` as someone else may see it: `a••@acme.example`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const [first = ''] = Array.from(address)
  return at < 1 ? '•••' : `${first}••${address.slice(at)}`
}
