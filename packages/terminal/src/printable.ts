// Makes untrusted text safe for a terminal.

// Joiners are part of emoji sequences and of scripts such as Persian and Sinhala; elsewhere they hide text.
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}|(?<![\p{Lo}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}])[\u200C\u200D]|[\u200C\u200D](?![\p{Lo}\p{Extended_Pictographic}])/gu

/** Replaces control, format and bidi characters by `?`. */
export const printable = (text: string): string => text.replaceAll(UNSAFE, '?')
