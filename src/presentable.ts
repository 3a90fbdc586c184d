// Text from elsewhere, made safe to show in a page, a log line or an email. Pure.

/** Control and direction-changing characters would let one name rearrange the words around it. */
export const presentable = (text: string) =>
  PLAIN.test(text)
    ? text
    : text
        .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\u061c]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()

/** Words with one space between them: nothing to put right. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/
