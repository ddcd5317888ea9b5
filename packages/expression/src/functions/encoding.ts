import { quote } from '../quote.ts'
import type { Call } from '../ast.ts'
import { TYPE } from '../types.ts'
import { createText } from '../creation.ts'
import { parameter, text, value as valueOf } from './arguments.ts'
import type { FunctionDefinition } from '../function-definition.ts'
import { failures } from './failures.ts'
import { parsedJson } from './parsed-json.ts'
import { json } from './value-text.ts'
import { BYTES } from './bytes-as-text.ts'
import { bytesOfText, fromBase64, fromBase64Url, fromHex, toBase64Url } from './utf8.ts'

const { any, string } = TYPE

/** A text-to-text function in linear time; `growth`: the maximum number of characters that one character becomes. */
function coding(name: string, growth: number, apply: (subject: string) => string): FunctionDefinition {
  return {
    name,
    parameters: [parameter('text', string)],
    returns: string,
    cost: 16,
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      createText(runtime, node, subject.length * growth)
      runtime.budget.spend(2 * subject.length)
      return attempt(node, name, subject, apply)
    },
  }
}

function attempt(node: Call, name: string, subject: string, apply: (subject: string) => string): string {
  try {
    return apply(subject)
  } catch {
    throw failures.badArgument(node, 0, `${quote(name)} cannot decode ${quote(subject)}`)
  }
}

/** Everything but the unreserved characters of RFC 3986. */
function toUrl(subject: string): string {
  return encodeURIComponent(subject.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Encodings of UTF-8 text, JSON. */
export const ENCODING: readonly FunctionDefinition[] = [
  coding('base64_encode', 4, (subject) => BYTES.toBase64(bytesOfText(subject))),
  coding('base64_decode', 1, fromBase64),
  coding('base64url_encode', 4, (subject) => toBase64Url(bytesOfText(subject))),
  coding('base64url_decode', 1, fromBase64Url),
  coding('hex_encode', 6, (subject) => BYTES.toHex(bytesOfText(subject))),
  coding('hex_decode', 1, fromHex),
  coding('url_encode', 9, toUrl),
  coding('url_decode', 1, decodeURIComponent),
  {
    name: 'json_marshal',
    aliases: ['to_json'],
    parameters: [parameter('value', any)],
    returns: string,
    cost: 200,
    implementation: (runtime, node, value) => json(runtime, node, valueOf(value)),
  },
  {
    name: 'json_unmarshal',
    aliases: ['from_json', 'parse_json'],
    parameters: [parameter('text', string)],
    returns: any,
    cost: 200,
    implementation: (runtime, node, value) => parsedJson(runtime, node, 0, text(node, 0, value)),
    decimal: (runtime, node, value) => parsedJson(runtime, node, 0, text(node, 0, value), 'decimal'),
  },
]
