import { stringifyJson, type Value } from '@engine/expression'
import { type Command, Option } from 'commander'
import { styleText } from 'node:util'
import { replaceFile } from './files.ts'

/** Flags of a command with `addJson`. */
export interface JsonFlag {
  readonly json?: boolean | undefined
}

/** Adds `--json`, for a result that has no other formats. */
export function addJson(command: Command): Command {
  return command.option('--json', 'print the result as JSON')
}

/** Adds `--format`, and `--json` for `--format json`. */
export function addFormat(
  command: Command,
  formats: Readonly<Record<'text' | 'json', unknown>>,
  usual: 'text' | 'json' = 'text',
): Command {
  return command
    .addOption(
      new Option('-f, --format <format>', 'how the report is written').choices(Object.keys(formats)).default(usual),
    )
    .option('--json', 'the same as `--format json`')
    .hook('preAction', (_program, called) => {
      // Options of subcommands are their own.
      if (called !== command || called.getOptionValue('json') !== true) return
      if (called.getOptionValueSource('format') === 'cli')
        called.error('error: --json contradicts --format: give one of them')
      called.setOptionValue('format', 'json')
    })
}

/** Print a result: a line for people, or the value as one line of JSON. */
export function printResult({ json = false }: JsonFlag, value: Value, words: string): void {
  if (json) process.stdout.write(`${stringifyJson(value)}\n`)
  else process.stdout.write(`${coloured(words)}\n`)
}

/** Write a report to standard output or, whole or not at all, to a file. Throws `ToolError`. */
export async function writeReport(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) process.stdout.write(coloured(text))
  else await replaceFile(output, Buffer.from(text))
}

/** The marks of a report in colour, on a terminal that has colours and unless NO_COLOR is set. */
function coloured(text: string): string {
  const style = (format: 'green' | 'red' | 'yellow', mark: string) =>
    styleText(format, mark, { stream: process.stdout })
  return text
    .replace(/^ *✓/gm, (mark) => style('green', mark))
    .replace(/^ *✗/gm, (mark) => style('red', mark))
    .replace(/^ *warning:/gm, (mark) => style('yellow', mark))
}
