import { hmac } from '@noble/hashes/hmac.js'
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Call } from '../ast.ts'
import { parseJson } from '../json.ts'
import type { Runtime } from '../runtime.ts'
import { TYPE } from '../types.ts'
import { charge, type Value } from '../value.ts'
import { parameter, text } from './arguments.ts'
import type { FunctionDefinition } from './definition.ts'
import { failures } from './failures.ts'
import { json } from './printed.ts'

/** Of every platform that this package runs on; declared here because it knows none of them. */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => {
  decode(bytes: Uint8Array): string
}

const { any, string } = TYPE

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A function from text to text; `growth`: characters that one character can become. */
function coding(
  name: string,
  summary: string,
  example: { expression: string; value: Value },
  growth: number,
  apply: (subject: string) => string,
): FunctionDefinition {
  return {
    name,
    parameters: [parameter('text', string)],
    returns: string,
    summary,
    example,
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      charge(runtime, node, subject.length * growth + 64, 'text')
      return attempt(node, name, subject, apply)
    },
  }
}

function attempt(node: Call, name: string, subject: string, apply: (subject: string) => string): string {
  try {
    return apply(subject)
  } catch {
    throw failures.badArgument(node, 0, `\`${subject.slice(0, 40)}\` cannot be read by \`${name}\``)
  }
}

function fromBase64(subject: string): string {
  return utf8.decode(Uint8Array.fromBase64(subject.trim()))
}

function fromHex(subject: string): string {
  return utf8.decode(Uint8Array.fromHex(subject.trim()))
}

/** Everything but the unreserved characters of RFC 3986. */
function toUrl(subject: string): string {
  return encodeURIComponent(subject.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function digest(hash: (bytes: Uint8Array) => Uint8Array): (subject: string) => string {
  return (subject) => bytesToHex(hash(utf8ToBytes(subject)))
}

/** Encodings of UTF-8 text, digests, JSON. */
export const ENCODING: readonly FunctionDefinition[] = [
  coding(
    'base64_encode',
    'In Base64 (RFC 4648).',
    { expression: 'base64_encode("abc")', value: 'YWJj' },
    4,
    (subject) => utf8ToBytes(subject).toBase64(),
  ),
  coding(
    'base64_decode',
    'From Base64 (RFC 4648).',
    { expression: 'base64_decode("YWJj")', value: 'abc' },
    1,
    fromBase64,
  ),
  coding('hex_encode', 'In hexadecimal digits.', { expression: 'hex_encode("abc")', value: '616263' }, 6, (subject) =>
    bytesToHex(utf8ToBytes(subject)),
  ),
  coding('hex_decode', 'From hexadecimal digits.', { expression: 'hex_decode("616263")', value: 'abc' }, 1, fromHex),
  coding(
    'url_encode',
    'With percent signs for all but unreserved characters (RFC 3986).',
    { expression: 'url_encode("a b&c")', value: 'a%20b%26c' },
    9,
    toUrl,
  ),
  coding(
    'url_decode',
    'With percent signs resolved.',
    { expression: 'url_decode("a%20b")', value: 'a b' },
    1,
    decodeURIComponent,
  ),
  coding(
    'md5',
    'The MD5 digest in hexadecimal digits; not for security.',
    { expression: 'md5("abc")', value: '900150983cd24fb0d6963f7d28e17f72' },
    0,
    digest(md5),
  ),
  coding(
    'sha256',
    'The SHA-256 digest in hexadecimal digits.',
    { expression: 'sha256("abc")', value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
    0,
    digest(sha256),
  ),
  {
    name: 'hmac_sha256',
    parameters: [parameter('key', string), parameter('message', string)],
    returns: string,
    summary: 'The HMAC-SHA-256 of a message in hexadecimal digits.',
    example: {
      expression: 'hmac_sha256("key", "abc")',
      value: '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab',
    },
    implementation: (runtime, node, key, message) => {
      charge(runtime, node, 64, 'text')
      return bytesToHex(hmac(sha256, utf8ToBytes(text(node, 0, key)), utf8ToBytes(text(node, 1, message))))
    },
  },
  {
    name: 'json_marshal',
    parameters: [parameter('value', any)],
    returns: string,
    summary: 'A value as compact JSON text.',
    example: { expression: 'json_marshal({"a": [1, null]})', value: '{"a":[1,null]}' },
    implementation: (runtime, node, value) => json(runtime, node, value as Value),
  },
  {
    name: 'json_unmarshal',
    parameters: [parameter('text', string)],
    returns: any,
    summary: 'The value of JSON text.',
    example: { expression: 'json_unmarshal("[1, 2]")', value: [1, 2] },
    implementation: unmarshal,
  },
]

function unmarshal(runtime: Runtime, node: Call, value: unknown): Value {
  const subject = text(node, 0, value as Value)
  charge(runtime, node, subject.length)
  const parsed = parseJson(subject, { duplicateKeys: 'last' })
  if (parsed.kind === 'failed') throw failures.badArgument(node, 0, parsed.problem.message)
  return parsed.value
}
