import { quote } from '../quote.ts'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Call } from '../ast.ts'
import { createText } from '../creation.ts'
import { parseJson } from '../json/json.ts'
import type { Runtime } from '../runtime.ts'
import { TYPE } from '../types.ts'
import { isObject } from '../value.ts'
import { object, optional, parameter, text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { authenticated, type Keyed, KEYED } from './digest.ts'
import { failures } from './failures.ts'
import { parsedJson } from './parsed-json.ts'
import { json } from './value-text.ts'
import { bytesOfBase64Url, fromBase64Url, toBase64Url } from './utf8.ts'

const { any, boolean, object: objectType, string } = TYPE

function algorithmFault(name: string): string | undefined {
  return KEYED.has(name) ? undefined : `${quote(name)} is not an algorithm: use ${[...KEYED.keys()].join(', ')}`
}

const ALGORITHM: Parameter = { ...optional('algorithm', string), refuses: algorithmFault }

/** An algorithm name with its secret; `HS256` by default. */
function algorithm(node: Call, index: number, argument: Argument): { readonly name: string; readonly keyed: Keyed } {
  const name = argument === undefined ? 'HS256' : text(node, index, argument)
  const keyed = KEYED.get(name)
  if (keyed === undefined) throw failures.badArgument(node, index, algorithmFault(name) ?? '')
  return { name, keyed }
}

/** Encode a text as a part of a token. */
function encoded(runtime: Runtime, node: Call, subject: string): string {
  createText(runtime, node, subject.length * 4)
  runtime.budget.spend(2 * subject.length)
  return toBase64Url(utf8ToBytes(subject))
}

/** Decode a part of a token; undefined when it is malformed. */
function decoded(runtime: Runtime, node: Call, part: string): string | undefined {
  createText(runtime, node, part.length)
  runtime.budget.spend(2 * part.length)
  try {
    return fromBase64Url(part)
  } catch {
    return undefined
  }
}

/** Header, payload and signature; undefined unless the text has three parts. */
function partsOf({ budget }: Runtime, token: string): readonly [string, string, string] | undefined {
  budget.spend(token.length >> 2)
  const [header, payload, signature, more] = token.split('.', 4)
  if (header === undefined || payload === undefined || signature === undefined || more !== undefined) return undefined
  return [header, payload, signature]
}

/** Whether the header names this algorithm: a token that names another one, including `none`, is not verified. */
function names(runtime: Runtime, node: Call, header: string, name: string): boolean {
  const content = decoded(runtime, node, header.slice(0, MAX_HEADER))
  const parsed = content === undefined ? undefined : parseJson(content, { duplicateKeys: 'refuse' })
  return parsed?.kind === 'parsed' && isObject(parsed.value) && parsed.value['alg'] === name
}

/** Characters of a header that are read: real headers have fewer than a hundred. */
const MAX_HEADER = 8192

/** Constant-time comparison. */
function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}

function isSignature(part: string, expected: Uint8Array): boolean {
  // A longer text cannot be the signature and is not decoded.
  if (part.length > 2 * expected.length) return false
  try {
    return equalBytes(expected, bytesOfBase64Url(part))
  } catch {
    return false
  }
}

/**
 * JSON Web Tokens with a shared secret (RFC 7519). Claims are not checked: rules compare `exp` and others themselves.
 */
export const TOKENS: readonly FunctionDefinition[] = [
  {
    name: 'jwt_encode',
    aliases: ['jwt_sign'],
    parameters: [parameter('payload', objectType), parameter('secret', string), ALGORITHM],
    returns: string,
    cost: 1000,
    implementation: (runtime, node, payload, secret, by) => {
      const claims = object(node, 0, payload)
      const { name, keyed } = algorithm(node, 2, by)
      const key = text(node, 1, secret)
      const header = encoded(runtime, node, `{"typ":"JWT","alg":"${name}"}`)
      const signed = `${header}.${encoded(runtime, node, json(runtime, node, claims))}`
      return `${signed}.${toBase64Url(authenticated(runtime, keyed, key, signed))}`
    },
  },
  {
    name: 'jwt_verify',
    parameters: [parameter('token', string), parameter('secret', string), ALGORITHM],
    returns: boolean,
    cost: 1000,
    implementation: (runtime, node, token, secret, by) => {
      if (token === null || secret === null) return false
      const { name, keyed } = algorithm(node, 2, by)
      const [subject, key] = [text(node, 0, token), text(node, 1, secret)]
      const parts = partsOf(runtime, subject)
      if (parts === undefined || !names(runtime, node, parts[0], name)) return false
      const signed = subject.slice(0, subject.lastIndexOf('.'))
      return isSignature(parts[2], authenticated(runtime, keyed, key, signed))
    },
  },
  {
    name: 'jwt_decode',
    parameters: [parameter('token', string)],
    returns: any,
    cost: 400,
    implementation: (runtime, node, token) => {
      const subject = text(node, 0, token)
      const payload = partsOf(runtime, subject)?.[1]
      const content = payload === undefined ? undefined : decoded(runtime, node, payload)
      if (content === undefined) throw failures.badArgument(node, 0, `${quote(subject)} is not a JSON Web Token`)
      return parsedJson(runtime, node, 0, content)
    },
  },
]
