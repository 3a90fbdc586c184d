// Text from elsewhere, made safe for a terminal and a line. Pure.

// Joiners belong to emoji made of several, and to scripts whose letters have no case (Persian, Sinhala); elsewhere they hide.
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}|(?<![\p{Lo}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}])[\u200C\u200D]|[\u200C\u200D](?![\p{Lo}\p{Extended_Pictographic}])/gu

/** Replaces what could drive a terminal, rearrange a line or break it (controls, format and bidi characters) by `?`. */
export const printable = (text: string): string => text.replaceAll(UNSAFE, '?')
