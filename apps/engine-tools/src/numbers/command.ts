import type { Command } from 'commander'
import { addFormat, writeReport } from '../output.ts'
import { checkNumbers } from './check-numbers.ts'
import { numbersJson, numbersText } from './report.ts'

const REPORTS = { text: numbersText, json: numbersJson } as const

interface NumbersFlags {
  readonly format: keyof typeof REPORTS
  readonly write?: boolean
}

/** `engine check numbers` */
export function defineCheckNumbers(command: Command): void {
  addFormat(command, REPORTS)
    .description('Find where a ruleset computes fractions with doubles, and move it to decimals.')
    .argument('<file>', 'a rule file in JSON or YAML; its cases are decided both ways')
    .argument('[recordings]', 'recorded decisions to make both ways: lines of JSON {input, code?, now?}')
    .option('--write', 'set `config.numbers` to `decimal` in the file')
    .addHelpText(
      'after',
      '\nExit codes: 0 no fractions are computed with doubles, or the file was moved; 1 they are, or the move is refused; 2 called wrongly.',
    )
    .action(async (file: string, recordings: string | undefined, { format, write = false }: NumbersFlags) => {
      const report = await checkNumbers(file, { recordings, write })
      await writeReport(REPORTS[format](report), undefined)
      const isMoved = report.written || report.places.length === 0
      if (!isMoved || report.problems.length > 0) process.exitCode = 1
    })
}
