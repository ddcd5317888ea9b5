import type { Command } from 'commander'
import { contentOf } from '../files.ts'
import { addJson, type JsonFlag, printResult, writeReport } from '../output.ts'
import { withFile } from '../tool.ts'
import { BadContract, parseContract } from './contract.ts'
import { typescriptOf } from './typescript.ts'

interface TypegenFlags extends JsonFlag {
  readonly output?: string
}

/** `engine typegen` */
export function defineTypegen(command: Command): void {
  addJson(command)
    .argument('<contract>', 'a contract as JSON: name, version, input.fields, outputs')
    .option('-o, --output <file>', 'where the types go (default: standard output)')
    .action(async (path: string, { output, json }: TypegenFlags) => {
      const contract = (await contentOf(path)).toString('utf8')
      const text = withFile(path, [BadContract], () => typescriptOf(parseContract(contract)))
      if (output !== undefined || json !== true) await writeReport(text, output)
      if (json === true) printResult({ json }, output === undefined ? { types: text } : { types: text, output }, '')
    })
}
