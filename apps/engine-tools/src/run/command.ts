import { type Command, Option } from 'commander'
import { extname } from 'node:path'
import { addJson, type JsonFlag } from '../output.ts'
import { ToolError } from '../tool.ts'
import { INPUT_FORMATS, type InputFormat } from './input-record.ts'
import { run, type RunOptions } from './run.ts'
import { watchFiles } from './watch.ts'

interface RunFlags extends JsonFlag {
  readonly input: string
  readonly inputFormat?: InputFormat
  readonly trace?: boolean
  readonly watch?: boolean
}

const ENDINGS: Readonly<Record<string, InputFormat>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
}

/** `engine run` */
export function defineRun(command: Command): void {
  addJson(command)
    .argument('<file>', 'a rule file, or a draft of the editor')
    .requiredOption('-i, --input <file>', 'the input, or many of them: .json, .ndjson, .csv, or - for standard input')
    .addOption(
      new Option('--input-format <format>', 'instead of the ending; - is JSON without it').choices(INPUT_FORMATS),
    )
    .option('--trace', 'add the trace of each decision')
    .option('--watch', 'decide again when a file changes')
    .addHelpText(
      'after',
      '\nThe result of one input is JSON; those of NDJSON, of CSV and of a list are NDJSON with the number of the line or item.\nOf CSV an unquoted cell is a number in the syntax of JSON, `true`, `false` or a text, and absent when it is empty.\nExit codes: 0 every input was decided, 1 one was not, or a file cannot be read, 2 called wrongly.',
    )
    .action(async (file: string, { input, inputFormat, trace = false, watch = false, json = false }: RunFlags) => {
      const format = inputFormat ?? (input === '-' ? 'json' : ENDINGS[extname(input).toLowerCase()])
      if (format === undefined)
        return command.error(
          `error: the ending of ${input} names no format: add --input-format ${INPUT_FORMATS.join('|')}`,
        )
      const options = { input, format, isTraced: trace, isJson: json }
      if (!watch) {
        if (!(await run(file, options))) process.exitCode = 1
        return
      }
      if (input === '-') return command.error('error: --watch needs a file as the input: standard input is read once')
      await watchFiles([file, input], () => runAgain(file, options))
    })
}

/** A faulty file is reported, and the next change tried. */
async function runAgain(file: string, options: RunOptions): Promise<void> {
  try {
    await run(file, options)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    process.stderr.write(`${error.message}\n`)
  }
}
