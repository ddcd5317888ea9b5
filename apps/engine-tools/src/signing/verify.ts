import { isObject } from '@engine/expression'
import { readRuleFile } from '@engine/rule-file'
import {
  MalformedSignature,
  NO_SIGNATURE,
  parsePublicKey,
  signatureOf,
  UnsignableRuleset,
  verify,
} from '@engine/signing'
import type { Command } from 'commander'
import { contentOf, ruleEnding } from '../files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { readKey } from './keys.ts'

interface VerifyFlags extends JsonFlag {
  readonly publicKey: string
  readonly input: string
}

/** `engine verify` */
export function defineVerify(command: Command): void {
  addJson(command)
    .requiredOption('-k, --public-key <file>', 'the key, as `engine keygen` writes it')
    .requiredOption('-i, --input <file>', 'the ruleset: .json, .yaml, .yml or .engine')
    .action(async ({ publicKey, input, json }: VerifyFlags) => {
      ruleEnding(input)
      const { text } = await readKey(publicKey, parsePublicKey)
      const reason = faultOf(input, await contentOf(input), text)
      if (reason === undefined)
        return printResult({ json }, { file: input, valid: true }, `✓ Signature valid for ${input}`)
      // An answer like the other one; the exit code shows that the signature is invalid.
      printResult({ json }, { file: input, valid: false, reason }, `✗ Signature verification failed: ${reason}`)
      process.exitCode = 1
    })
}

function faultOf(input: string, bytes: Uint8Array, key: string): string | undefined {
  const read = readRuleFile(input, bytes)
  if ('reason' in read) return read.reason
  const { document } = read
  if (!isObject(document)) return 'it holds no ruleset'
  try {
    const signature = signatureOf(document)
    return signature === undefined ? NO_SIGNATURE : verify(document, signature, new Set([key]))
  } catch (error) {
    if (error instanceof MalformedSignature || error instanceof UnsignableRuleset)
      return `\`${error.path}\` ${error.message}`
    throw error
  }
}
