import type { Ending } from '@engine/rule-file'
import { parsePrivateKey, sign, UnsignableRuleset } from '@engine/signing'
import type { Command } from 'commander'
import { stat } from 'node:fs/promises'
import { readRuleset, replaceFile, ruleEnding, verifiedRuleFile } from '../files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { readKey } from './keys.ts'
import { ToolError, withFile } from '../tool.ts'

interface SignOptions extends JsonFlag {
  readonly privateKey: string
  readonly input: string
  readonly output?: string
}

/** `engine sign` */
export function defineSign(command: Command): void {
  addJson(command)
    .requiredOption('-k, --private-key <file>', 'the key, as `engine keygen` writes it')
    .requiredOption('-i, --input <file>', 'the ruleset: .json, .yaml, .yml or .engine')
    .option('-o, --output <file>', 'where the signed ruleset goes, in the same form (default: the input is replaced)')
    .action(async ({ privateKey, input, output = input, json }: SignOptions) => {
      const { ending, bytes, document } = await readRuleset(input)
      if (formOf(ruleEnding(output)) !== formOf(ending))
        throw new ToolError(
          `${output}: the form stays the one of ${input}; \`engine compile\` converts one into another`,
        )
      const { key } = await readKey(privateKey, parsePrivateKey)
      await warnOfReaders(privateKey)
      await replaceFile(
        output,
        verifiedRuleFile(
          output,
          ending,
          withFile(input, [UnsignableRuleset], () => sign(document, key, now())),
          bytes,
        ),
      )
      printResult({ json }, { signed: output }, `✓ Signed ${output}`)
    })
}

const formOf = (ending: Ending) => (ending === '.yml' ? '.yaml' : ending)

const now = () => new Date().toISOString()

async function warnOfReaders(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0 && process.platform !== 'win32')
    process.stderr.write(`warning: others than its owner can read ${path}: chmod 600 ${path}\n`)
}
