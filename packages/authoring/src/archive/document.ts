import { jsonPositions, parseJson, type Value, type ValueAllowance } from '@engine/expression'
import { type Problem, messages, Report } from '../problem.ts'
import type { ArchiveFile, FileProblem, YamlForm } from './archive.ts'

/** A file being read: its content and problems. */
export interface ArchiveDocument {
  readonly path: string
  /** Undefined when it is not JSON or YAML. */
  readonly value: Value | undefined
  readonly report: Report
  /** Everything reported, with positions in the file. */
  problems(): readonly FileProblem[]
}

/** Parses the text of a file according to its extension. Linear in the size of the text. */
export function readDocument({ path, text }: ArchiveFile, yaml: YamlForm, values?: ValueAllowance): ArchiveDocument {
  const isYaml = path.endsWith('.yaml')
  const report = new Report()
  const unreadable = (reason: string, line?: number, column = 1) =>
    report.add({
      path: '',
      ...messages.unreadable(reason),
      severity: 'error',
      ...(line !== undefined && { line, column }),
    })
  const value = isYaml ? yamlValue(text, yaml, unreadable, values) : jsonValueOf(text, unreadable, values)
  return {
    path,
    value,
    report,
    problems() {
      const found = report.problems
      if (value === undefined || found.length === 0) return found.map((problem) => ({ ...problem, file: path }))
      const placed = isYaml ? placedBy(yaml.positions(text), found) : placedInJson(text, found)
      return placed.map((problem) => ({ ...problem, file: path }))
    },
  }
}

/** Problems of a document at the lines of its JSON text, instead of positions within its texts. Linear in the text. */
export function placedInJson(text: string, problems: readonly Problem[]): readonly Problem[] {
  return placedBy(positionsIn(text, problems), problems)
}

function placedBy(positionOf: ReturnType<YamlForm['positions']>, problems: readonly Problem[]): readonly Problem[] {
  return problems.map(({ line: _line, column: _column, length: _length, ...problem }) => ({
    ...problem,
    ...positionOf(problem.path),
  }))
}

type Unreadable = (reason: string, line?: number, column?: number) => void

function jsonValueOf(text: string, unreadable: Unreadable, values: ValueAllowance | undefined): Value | undefined {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', values, numbers: 'exact' })
  if (parsed.kind === 'parsed') return parsed.value
  const { message, line, column } = parsed.problem
  unreadable(message, line, column)
  return undefined
}

/** The YAML parser puts the position at the end of its message. */
const PLACE = / at line (\d+), column (\d+)$/

function yamlValue(
  text: string,
  yaml: YamlForm,
  unreadable: Unreadable,
  values: ValueAllowance | undefined,
): Value | undefined {
  const converted = yaml.toJson(text)
  if ('json' in converted) return jsonValueOf(converted.json, (reason) => unreadable(reason), values)
  const { reason } = converted
  const [, line, column] = PLACE.exec(reason) ?? []
  unreadable(reason, line === undefined ? undefined : Number(line), column === undefined ? undefined : Number(column))
  return undefined
}

function positionsIn(text: string, problems: readonly Problem[]) {
  const search = jsonPositions(
    text,
    problems.map(({ path }) => path),
  )
  for (;;) {
    const step = search.next()
    if (step.done === true) return step.value
  }
}
