/** Bytes as Base64 or hexadecimal text, and back. Decoding throws `SyntaxError` for malformed text. */
export interface BytesAsText {
  toBase64(bytes: Uint8Array): string
  /** The URL-safe alphabet, without padding. */
  toBase64Url(bytes: Uint8Array): string
  /** White space is skipped; padding may be missing. */
  fromBase64(text: string): Uint8Array
  /** The URL-safe alphabet. */
  fromBase64Url(text: string): Uint8Array
  toHex(bytes: Uint8Array): string
  fromHex(text: string): Uint8Array
}

/**
 * Methods of `Uint8Array`: Node.js 25, browsers of 2025.
 *
 * @internal
 */
export const NATIVE: BytesAsText = {
  toBase64: (bytes) => bytes.toBase64(),
  toBase64Url: (bytes) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true }),
  fromBase64: (text) => Uint8Array.fromBase64(text),
  fromBase64Url: (text) => Uint8Array.fromBase64(text, { alphabet: 'base64url' }),
  toHex: (bytes) => bytes.toHex(),
  fromHex: (text) => Uint8Array.fromHex(text),
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE64 = `${LETTERS}+/`
const BASE64_URL = `${LETTERS}-_`

/** Padding after the last 0, 2 or 3 digits of a group of four; one digit alone is malformed. */
const PADDING = ['', undefined, '==', '='] as const

/**
 * The same for older platforms. Each costs the length of its argument.
 *
 * @internal
 */
export const PORTABLE: BytesAsText = {
  toBase64: (bytes) => {
    const digits = digitsOf(bytes, BASE64)
    return digits + (PADDING[digits.length % 4] ?? '')
  },
  toBase64Url: (bytes) => digitsOf(bytes, BASE64_URL),
  fromBase64: (text) => bytesOf(text, BASE64),
  fromBase64Url: (text) => bytesOf(text, BASE64_URL),
  toHex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  fromHex: (text) => {
    if (text.length % 2 !== 0 || /[^0-9a-f]/i.test(text)) throw new SyntaxError('malformed hexadecimal text')
    return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
      Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
    )
  },
}

function digitsOf(bytes: Uint8Array, alphabet: string): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(index, index + 3)
    const group = (first << 16) | (second << 8) | third
    const count = Math.min(bytes.length - index, 3) + 1
    for (let digit = 0; digit < count; digit++) text += alphabet[(group >> (18 - 6 * digit)) & 63]
  }
  return text
}

function bytesOf(text: string, alphabet: string): Uint8Array {
  const [, digits = '', padding = ''] = /^([^=]*)(=*)$/.exec(text.replaceAll(/[\t\n\f\r ]/g, '')) ?? refuse()
  const wanted = PADDING[digits.length % 4] ?? refuse()
  if (padding !== '' && padding !== wanted) refuse()
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let [bits, count, length] = [0, 0, 0]
  for (const digit of digits) {
    const value = alphabet.indexOf(digit)
    if (value < 0) refuse()
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    bytes[length++] = (bits >> count) & 255
  }
  return bytes
}

function refuse(): never {
  throw new SyntaxError('malformed Base64 text')
}

const isNative = 'fromBase64' in Uint8Array && 'fromHex' in Uint8Array
export const BYTES: BytesAsText = isNative ? NATIVE : PORTABLE
