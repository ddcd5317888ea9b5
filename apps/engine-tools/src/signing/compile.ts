import { BadBinary, MalformedSignature } from '@engine/signing'
import type { Command } from 'commander'
import { readRules } from '../check/rule-files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { replaceFile, ruleEnding, verifiedRuleFile } from '../files.ts'
import { withFile } from '../tool.ts'

interface CompileFlags extends JsonFlag {
  readonly input: string
  readonly output: string
}

/** `engine compile` */
export function defineCompile(command: Command): void {
  addJson(command)
    .requiredOption('-i, --input <file>', 'the ruleset, or a draft of the editor: .json, .yaml, .yml or .engine')
    .requiredOption('-o, --output <file>', 'the same ruleset in the form that this name ends in')
    .addHelpText('after', '\nA signature goes along and stays valid: all three forms are signed alike.')
    .action(async ({ input, output, json }: CompileFlags) => {
      const { document } = await readRules(input)
      const ending = ruleEnding(output)
      await replaceFile(
        output,
        withFile(input, [MalformedSignature, BadBinary], () => verifiedRuleFile(output, ending, document)),
      )
      printResult({ json }, { input, output }, `✓ ${input} -> ${output}`)
    })
}
