import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { TYPE } from '../types.ts'
import type { FunctionDefinition } from '../function-definition.ts'
import { parameter, text } from './arguments.ts'
import { authenticated, digested, type Hash, HS256 } from './digest.ts'

const { string } = TYPE

function digest(name: string, create: () => Hash): FunctionDefinition {
  return {
    name,
    parameters: [parameter('text', string)],
    returns: string,
    cost: 200,
    implementation: (runtime, node, value) => bytesToHex(digested(runtime, create(), text(node, 0, value))),
  }
}

/** Digests of UTF-8 text. */
export const HASHES: readonly FunctionDefinition[] = [
  digest('md5', () => md5.create()),
  {
    ...digest('sha256', () => sha256.create()),
    aliases: ['sha_256'],
  },
  {
    name: 'hmac_sha256',
    parameters: [parameter('key', string), parameter('message', string)],
    returns: string,
    cost: 200,
    implementation: (runtime, node, key, message) => {
      const [secret, subject] = [text(node, 0, key), text(node, 1, message)]
      return bytesToHex(authenticated(runtime, HS256, secret, subject))
    },
  },
]
