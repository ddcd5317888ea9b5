import { hitsOf, runCase } from '@engine/authoring'
import { makeFunction, stringifyJson } from '@engine/expression'
import {
  type Diagram,
  diagramDot,
  diagramMermaid,
  diagramOf,
  diagramSvg,
  diagramText,
  type Ruleset,
} from '@engine/ruleset'
import type { Command } from 'commander'
import { BadCases, parseCases } from '../check/cases.ts'
import { readRules } from '../check/rule-files.ts'
import { contentOf } from '../files.ts'
import { addFormat, writeReport } from '../output.ts'
import { withFile } from '../tool.ts'

const FORMATS = {
  text: diagramText,
  mermaid: diagramMermaid,
  dot: diagramDot,
  svg: diagramSvg,
  json: (diagram: Diagram) => `${stringifyJson(diagram)}\n`,
} as const

interface ShowFlags {
  readonly format: keyof typeof FORMATS
  readonly cases?: string
  readonly output?: string
}

/** `engine show` */
export function defineShow(command: Command): void {
  addFormat(command, FORMATS)
    .argument('<file>', 'a rule file, or a draft of the editor')
    .option('--cases <file>', 'mark the steps and branches that these cases take, and those that none takes')
    .option('-o, --output <file>', 'write the picture to a file')
    .addHelpText('after', '\nExit codes: 0 shown, 1 the file is no ruleset or the cases are none, 2 called wrongly.')
    .action(async (file: string, { format, cases, output }: ShowFlags) => {
      const { ruleset } = await readRules(file)
      const hits = cases === undefined ? undefined : await hitsOfCases(ruleset, cases)
      await writeReport(FORMATS[format](diagramOf(ruleset, hits)), output)
    })
}

/** Throws `ToolError` for a file that has no cases. */
async function hitsOfCases(ruleset: Ruleset, file: string): Promise<ReadonlyMap<string, number>> {
  const text = (await contentOf(file)).toString('utf8')
  const cases = withFile(file, [BadCases], () => parseCases(text))
  const host = { now: Date.now, monotonic: () => performance.now(), makeFunction }
  const inspections = []
  for (const one of cases) inspections.push((await runCase(ruleset, one, host)).inspection)
  return hitsOf(ruleset, inspections)
}
