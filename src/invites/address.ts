// Email addresses: which ones we take, when two are the same person, and how one is shown to somebody else. Pure.
import { isActAsAddress } from '../client-api/credentials.ts'

/** Two spellings of one address are one person: without spaces around, composed (NFC), in lower case. */
export const normalizedAddress = (address: string): string => address.trim().normalize('NFC').toLowerCase()

export const isSameAddress = (one: string, other: string): boolean =>
  normalizedAddress(one) === normalizedAddress(other)

/**
 * The address of a person to invite, normalized; undefined for anything but one plain address, because it goes into a
 * header of the service's (X-Service-ActAs) and into the header of a mail.
 */
export function addressToInvite(text: string): string | undefined {
  const address = normalizedAddress(text)
  const local = address.slice(0, address.lastIndexOf('@'))
  const isPlain = isActAsAddress(address) && !/^\.|\.\.|\.$/.test(local) && /@[^@]*[a-z0-9]$/.test(address)
  return isPlain ? address : undefined
}

/** `ada@acme.example` as somebody else may see it: `a••@acme.example`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const [first = ''] = Array.from(address)
  return at < 1 ? '•••' : `${first}••${address.slice(at)}`
}
