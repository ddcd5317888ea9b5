import { locate, NO_SPAN, type Value } from '@engine/expression'
import { positionsInJson } from '@engine/rule-file'
import type { Ruleset } from '@engine/ruleset'
import { findRuleFiles } from '../check/rule-files.ts'
import type { Problem } from '../problem.ts'
import { differencesIn, type Mode } from './expression-differences.ts'
import { type Parts, partsOf } from './expressions.ts'
import type { Finding } from './finding.ts'
import { rulesetDifferences } from './ruleset-differences.ts'

/** What migration found in one rule file. */
export interface MigrationReport {
  readonly file: string
  /** Undefined: no engine accepts it as a ruleset. */
  readonly name: string | undefined
  readonly problems: readonly Problem[]
  readonly findings: readonly Finding[]
}

/**
 * Compares the meaning of rule files with the original service of the specification. Throws `ToolError`.
 *
 * @param formatOf the format of a document of another rule engine, for advice; undefined: it may be meant as a ruleset
 */
export async function migrate(
  paths: readonly string[],
  formatOf: (document: Value) => string | undefined,
): Promise<readonly MigrationReport[]> {
  const { files } = await findRuleFiles(paths)
  return files.map(({ path, document, text, ruleset, problems }) => ({
    file: path,
    name: ruleset?.config.name,
    problems: ruleset === undefined && document !== undefined ? advised(problems, formatOf(document)) : problems,
    findings: document === undefined ? [] : placed(findingsIn(document, ruleset), text),
  }))
}

/** The problems, or how to import a document of this format: it has none of a ruleset's parts. */
function advised(problems: readonly Problem[], format: string | undefined): readonly Problem[] {
  if (format === undefined) return problems
  return [{ path: '', message: `it is a document of another rule engine: give \`--from ${format}\`` }]
}

/** In the order of the document's parts: its configuration and results, then its expressions. */
function findingsIn(document: Value, ruleset: Ruleset | undefined): readonly Finding[] {
  const parts = partsOf(document)
  return [...rulesetDifferences(document, parts, ruleset), ...expressionFindings(parts, ruleset)]
}

function expressionFindings({ expressions }: Parts, ruleset: Ruleset | undefined): readonly Finding[] {
  const mode: Mode = ruleset?.config.fieldMissing ?? 'lenient'
  return expressions.flatMap((expression) =>
    differencesIn(expression, mode).map(({ node, difference }): Finding => {
      const { path, text, isText } = expression
      const at = isText && node.span !== NO_SPAN ? locate(text, node.span.start) : undefined
      return { path, ...difference, expression: text, ...(at === undefined ? {} : { at }) }
    }),
  )
}

/** With their places in the text of the file, where there is one. */
function placed(findings: readonly Finding[], text: string | undefined): readonly Finding[] {
  if (text === undefined) return findings
  const positions = positionsInJson(
    text,
    findings.map(({ path }) => ({ path })),
  )
  return findings.map((finding, index) => ({ ...finding, ...positions[index] }))
}
