import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { TYPE } from '../types.ts'
import type { FunctionDefinition } from '../function-definition.ts'
import type { Value } from '../value.ts'
import { parameter, text } from './arguments.ts'
import { authenticated, digested, type Hash, HS256 } from './digest.ts'

const { string } = TYPE

function digest(
  name: string,
  summary: string,
  example: { expression: string; value: Value },
  create: () => Hash,
): FunctionDefinition {
  return {
    name,
    parameters: [parameter('text', string)],
    returns: string,
    summary,
    example,
    cost: 200,
    implementation: (runtime, node, value) => bytesToHex(digested(runtime, create(), text(node, 0, value))),
  }
}

/** Digests of UTF-8 text. */
export const HASHES: readonly FunctionDefinition[] = [
  digest(
    'md5',
    'The MD5 digest in hexadecimal digits; not for security.',
    { expression: 'md5("abc")', value: '900150983cd24fb0d6963f7d28e17f72' },
    () => md5.create(),
  ),
  {
    ...digest(
      'sha256',
      'The SHA-256 digest in hexadecimal digits.',
      { expression: 'sha256("abc")', value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
      () => sha256.create(),
    ),
    aliases: ['sha_256'],
  },
  {
    name: 'hmac_sha256',
    parameters: [parameter('key', string), parameter('message', string)],
    returns: string,
    summary: 'The HMAC-SHA-256 of a message in hexadecimal digits.',
    example: {
      expression: 'hmac_sha256("key", "abc")',
      value: '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab',
    },
    cost: 200,
    implementation: (runtime, node, key, message) => {
      const [secret, subject] = [text(node, 0, key), text(node, 1, message)]
      return bytesToHex(authenticated(runtime, HS256, secret, subject))
    },
  },
]
