import type { Command } from 'commander'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { counted } from '../quantity.ts'
import { backUp } from './backup.ts'

/** `engine backup` */
export function defineBackup(command: Command): void {
  addJson(command)
    .argument('<rules-dir>', 'the rules directory of a server')
    .argument('<folder>', 'where the copy goes: a new or empty folder')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is copied, 1 something could not be, or a rule file would not be served, 2 called wrongly.',
    )
    .action(async (source: string, target: string, { json }: JsonFlag) => {
      const { files, rulesets, unserved, tolerated } = await backUp(source, target)
      printResult(
        { json },
        { rulesets, files, not_served: unserved, tolerated },
        `${counted(rulesets, 'ruleset')} verified, ${counted(files, 'file')} copied: ${source} -> ${target}`,
      )
      for (const line of tolerated) process.stderr.write(`served, but refused in a new ruleset: ${line}\n`)
      for (const line of unserved) process.stderr.write(`not served: ${line}\n`)
      if (unserved.length === 0) return
      process.exitCode = 1
      if (rulesets === 0) process.stderr.write('error: no ruleset is served\n')
    })
}
