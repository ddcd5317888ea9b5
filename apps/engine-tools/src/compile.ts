import { BadBinary, MalformedSignature } from '@engine/signing'
import { readRuleset, replaceFile, ruleEnding, verifiedRuleFile } from './files.ts'
import { runTool, tool, withFile } from './tool.ts'

const command = tool('engine-compile', 'Turns a ruleset from one form into another: JSON, YAML, compiled binary.')
  .requiredOption('-i, --input <file>', 'the ruleset: .json, .yaml, .yml or .engine')
  .requiredOption('-o, --output <file>', 'the same ruleset in the form that this name ends in')
  .addHelpText('after', '\nA signature goes along and stays valid: all three forms are signed alike.')
  .action(async ({ input, output }: { input: string; output: string }) => {
    const { document } = await readRuleset(input)
    const ending = ruleEnding(output)
    await replaceFile(
      output,
      withFile(input, [MalformedSignature, BadBinary], () => verifiedRuleFile(output, ending, document)),
    )
    process.stdout.write(`✓ ${input} -> ${output}\n`)
  })

await runTool(command)
