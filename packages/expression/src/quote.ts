/** Maximum length of user text in a message. */
const MAX_LENGTH = 80
/** Maximum length of an expression or path in a message. */
const MAX_CODE = 200

/** Controls, direction marks, unassigned characters, line separators, and blanks that look like others. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u00a0]/gu

/**
 * User text for a message: in backticks, truncated when long, and with code points replacing characters that are
 * invisible or would change the message's direction. All messages quote user text with this function.
 */
export function quote(text: string, longest: number = MAX_LENGTH): string {
  const short = text.length > longest ? `${cut(text, longest)}…` : text
  return `\`${visible(short)}\``
}

/** `quote` for the text of an expression or path, with a higher limit. */
export function quoteCode(text: string): string {
  return quote(text, MAX_CODE)
}

/** The text with code points replacing invisible characters. */
function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** The start of a text, not cut within a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}
