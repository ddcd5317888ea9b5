/** Characters of a text that a message shows. */
const LONGEST = 80
/** Characters of an expression, or of a path, that a message shows. */
const LONGEST_CODE = 200

/** Controls, marks of direction, what is unassigned, separators of lines, and blanks that look like others. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u00a0]/gu

/**
 * Text of a user in a message: in backticks, cut when it is long, and with the code point in the place of each character
 * that cannot be seen or that would turn the message around. Every message with such a text takes it from here.
 */
export function quote(text: string, longest: number = LONGEST): string {
  const short = text.length > longest ? `${cut(text, longest)}…` : text
  return `\`${visible(short)}\``
}

/** `quote` for the text of an expression or path, of which more is shown. */
export function quoteCode(text: string): string {
  return quote(text, LONGEST_CODE)
}

/** The same text with code points in the place of characters that cannot be seen. */
function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** The beginning of a text, which does not end within a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}
