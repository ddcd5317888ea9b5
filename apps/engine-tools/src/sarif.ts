import { stringifyJson, type Value } from '@engine/expression'

/** One result of a SARIF log. */
export interface SarifFinding {
  readonly file: string
  readonly ruleId: string
  readonly level: 'error' | 'warning' | 'note'
  readonly message: string
  /** JSON pointer. */
  readonly place?: string
  readonly at?: { readonly line: number; readonly column: number } | undefined
  readonly properties?: { readonly [name: string]: Value }
}

/** A finding as a SARIF result, at its place in the file. */
export function sarifResult(finding: SarifFinding): Value {
  const { file, ruleId, level, message, place, at, properties } = finding
  return {
    ruleId,
    level,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.replaceAll('\\', '/') },
          ...(at && { region: { startLine: at.line, startColumn: at.column } }),
        },
        ...(place !== undefined && place !== '' && { logicalLocations: [{ fullyQualifiedName: place }] }),
      },
    ],
    ...(properties && { properties }),
  }
}

/** A SARIF 2.1.0 log of one run. */
export function sarifText(tool: string, rules: readonly { readonly id: string }[], results: readonly Value[]): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: tool, rules } }, results }],
  }
  return `${stringifyJson(log)}\n`
}
