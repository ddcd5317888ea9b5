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
import { contentOf, ruleEnding } from './files.ts'
import { readKey } from './keys.ts'
import { runTool, tool } from './tool.ts'

const command = tool('engine-verify', 'Verifies the signature of a ruleset.')
  .requiredOption('-k, --public-key <file>', 'the key, as engine-keygen writes it')
  .requiredOption('-i, --input <file>', 'the ruleset: .json, .yaml, .yml or .engine')
  .action(async ({ publicKey, input }: { publicKey: string; input: string }) => {
    ruleEnding(input)
    const { text } = await readKey(publicKey, parsePublicKey)
    const reason = faultOf(input, await contentOf(input), text)
    if (reason === undefined) return void process.stdout.write(`✓ Signature valid for ${input}\n`)
    // An answer like the other one; the exit code shows that the signature is invalid.
    process.stdout.write(`✗ Signature verification failed: ${reason}\n`)
    process.exitCode = 1
  })

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

await runTool(command)
