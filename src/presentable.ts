// Makes foreign text safe to show in a page, a log line or an email. Pure.

/** Without control and direction characters, which could rearrange the words around it. */
export const presentable = (text: string) =>
  PLAIN.test(text)
    ? text
    : text
        .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\u061c]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()

const PLAIN = /^[!-~]+(?: [!-~]+)*$/
