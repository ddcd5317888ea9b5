import type { Column, Row, TableStep } from '@engine/authoring'
import { parsePath, printPath } from '@engine/expression'
import { literalText, type FeelTarget, feelOf, NoFeel } from './feel-text.ts'
import { unaryText } from './unary-text.ts'
import { attribute, element, textElement, xmlText } from './xml-text.ts'

/** The DMN hit policy of one of our tables. */
export interface WrittenPolicy {
  readonly hitPolicy: string
  readonly aggregation?: string
}

/** An output with its DMN name. */
export interface WrittenOutput {
  readonly column: Column
  readonly name: string
  /** The value when no row matches, in our syntax. */
  readonly byDefault: string | undefined
}

/** Reports that a cell cannot be expressed, and returns its placeholder. */
export type LoseCell = (row: number, column: Column, reason: string) => string

export interface TableParts {
  readonly step: TableStep
  readonly policy: WrittenPolicy
  readonly outputs: readonly WrittenOutput[]
  readonly lose: LoseCell
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['decimal', 'number'],
  ['boolean', 'boolean'],
])

/** The FEEL type of a column type. */
export const feelType = (type: string | undefined) => (type === undefined ? undefined : TYPES.get(type))

/** A decision table. Throws `NoFeel` when a column cannot be expressed. Linear in the size of the table. */
export function tableText({ step, policy, outputs, lose }: TableParts, target: FeelTarget): string {
  const inputs = step.columns.filter(({ kind }) => kind === 'input')
  const parts = [
    ...inputs.map((column) => {
      const type = attribute('typeRef', feelType(column.type))
      return element('input', textElement('inputExpression', feelOf(column.field ?? '', target), type))
    }),
    ...outputs.map((output) => outputText(output, outputs.length, target)),
    ...step.rows.flatMap((row, index) =>
      row.disabled === true ? [] : [ruleText(row, index, inputs, outputs, lose, target)],
    ),
  ]
  const attributes = attribute('hitPolicy', policy.hitPolicy) + attribute('aggregation', policy.aggregation)
  return element('decisionTable', `\n${parts.join('\n')}\n`, attributes)
}

function outputText({ column, name, byDefault }: WrittenOutput, count: number, target: FeelTarget): string {
  const inner = byDefault === undefined ? '' : textElement('defaultOutputEntry', feelOf(byDefault, target))
  return element(
    'output',
    inner,
    attribute('name', count > 1 ? name : undefined) + attribute('typeRef', feelType(column.type)),
  )
}

function ruleText(
  { cells, note }: Row,
  index: number,
  inputs: readonly Column[],
  outputs: readonly WrittenOutput[],
  lose: LoseCell,
  target: FeelTarget,
): string {
  const written = (column: Column, write: (cell: string) => string) => {
    try {
      return write(cells[column.id] ?? '')
    } catch (error) {
      if (!(error instanceof NoFeel)) throw error
      return lose(index, column, error.message)
    }
  }
  return element(
    'rule',
    [
      ...(note === undefined ? [] : [element('description', xmlText(note))]),
      ...inputs.map((column) =>
        textElement(
          'inputEntry',
          written(column, (cell) => unaryText(cell, canonicalPath(column.field ?? ''), target)),
        ),
      ),
      ...outputs.map(({ column }) =>
        textElement(
          'outputEntry',
          written(column, (cell) => (cell.trim() === '' ? literalText(null) : feelOf(cell, target))),
        ),
      ),
    ].join(''),
  )
}

/** The canonical text of a path. */
function canonicalPath(field: string): string {
  const parsed = parsePath(field)
  const { expression } = parsed.kind === 'parsed' ? parsed : { expression: undefined }
  return expression?.kind === 'field' || expression?.kind === 'variable' ? printPath(expression) : field
}
