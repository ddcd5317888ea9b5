import { at, type Place } from '@engine/ruleset'
import { below } from '../place.ts'
import type { Assignment, DraftStep, ExpressionText, TableStep } from './model.ts'

/** A text of a step that contains an expression or path. */
export interface ReadingText {
  readonly place: Place
  /** The whole text at the place. */
  readonly text: string
  readonly kind: 'expression' | 'path'
  /** Offset of the expression in the text: a condition in a cell follows its `?`. */
  readonly start: number
}

/** The expressions of a step and the paths of its columns, with their places. Linear in the size of the step. */
export function* readingTexts(step: DraftStep, place: Place): Iterable<ReadingText> {
  switch (step.type) {
    case 'decision':
      for (const [index, { condition }] of step.branches.entries())
        yield* expression(below(place, 'branches', index, 'condition'), condition)
      return
    case 'action':
      yield* values(at(place, 'assignments'), step.assignments)
      for (const [index, { params = {} }] of (step.externalCalls ?? []).entries())
        for (const [name, text] of Object.entries(params))
          yield* expression(below(place, 'externalCalls', index, 'params', name), text)
      yield* expression(below(place, 'logging', 'message'), step.logging?.message)
      return
    case 'terminal':
      yield* expression(at(place, 'message'), step.message)
      yield* values(at(place, 'output'), step.output ?? [])
      return
    case 'sub_rule':
      for (const [index, { expr }] of step.bindings.entries())
        yield* expression(below(place, 'bindings', index, 'expr'), expr)
      return
    case 'table':
      yield* tableTexts(step, place)
  }
}

function* tableTexts({ columns, rows }: TableStep, place: Place): Iterable<ReadingText> {
  const outputs = new Set<string>()
  for (const [index, { id, kind, field }] of columns.entries()) {
    if (kind === 'output') outputs.add(id)
    else if (field !== undefined)
      yield { place: below(place, 'columns', index, 'field'), text: field, kind: 'path', start: 0 }
  }
  for (const [index, { cells }] of rows.entries())
    for (const [column, cell] of Object.entries(cells)) {
      const cellPlace = below(place, 'rows', index, 'cells', column)
      if (outputs.has(column)) yield* expression(cellPlace, cell)
      else if (cell.trimStart().startsWith('?')) yield* expression(cellPlace, cell, cell.indexOf('?') + 1)
    }
}

function* values(place: Place, list: readonly Assignment[]): Iterable<ReadingText> {
  for (const [index, { value }] of list.entries()) yield* expression(below(place, index, 'value'), value)
}

function* expression(place: Place, text: ExpressionText | undefined, start = 0): Iterable<ReadingText> {
  if (text !== undefined) yield { place, text, kind: 'expression', start }
}
