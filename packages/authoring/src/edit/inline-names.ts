import { NO_SPAN, print } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import type { Assignment, SubRuleStep } from '../draft/model.ts'
import type { Flow } from './flow.ts'
import { freshName } from './place.ts'
import { isReading, type Reading, replacedInPath, replacedInText, type Replace, variableNamed } from './references.ts'
import { type Refusal, refusals } from './refusal.ts'
import type { TextChanges } from './step-texts.ts'
import { variableName } from './step-variables.ts'

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

const namesIn = (flow: Flow) =>
  [...flow.steps.keys()].flatMap((id) => flow.variables(id).events.map(({ name }) => name))

/** Host names for the variables and bound fields of a sub-rule. */
export class Names {
  readonly #taken: Set<string>
  readonly #variables = new Map<string, string>()

  constructor(outer: Flow, inner: Flow) {
    this.#taken = new Set(namesIn(outer))
    for (const name of namesIn(inner)) this.variable(name)
  }

  variable(written: string): string {
    const name = variableName(written)
    const known = this.#variables.get(name) ?? freshName(this.#taken, name)
    this.#variables.set(name, known)
    return known
  }

  fresh(wanted: string): string {
    return freshName(this.#taken, PLAIN.test(wanted) ? wanted : 'input')
  }
}

/** Replacements for reads of a sub-rule's input. */
export interface Bound {
  readonly kind: 'bound'
  /** Replacement of a field. */
  field(name: string): Reading
  /** Replacement of the whole input; undefined when it is not read. */
  readonly whole: Reading | undefined
  readonly assignments: readonly Assignment[]
}

/**
 * A path is substituted directly, other expressions are evaluated once, and an unbound field becomes a variable that is
 * never set.
 */
export function boundFields(names: Names, use: SubRuleStep, inner: Flow): Bound | Refusal {
  const fields = new Map<string, Reading>()
  const assignments: Assignment[] = []
  for (const { field = '', expr = '' } of use.bindings) {
    const parsed = parseText(expr)
    if (parsed.kind === 'failed') return refusals.unreadable(use.id, expr)
    const { expression } = parsed
    if (isReading(expression) && expression.path.every(({ kind }) => kind !== 'wildcard')) {
      fields.set(field, expression)
      continue
    }
    const name = names.fresh(field)
    fields.set(field, variableNamed(name))
    assignments.push({ name, value: expr })
  }
  const isWhole = [...inner.steps.values()].some(
    ({ id, type }) => type !== 'terminal' && inner.variables(id).readsInput,
  )
  const whole = isWhole ? variableNamed(names.fresh('input')) : undefined
  if (whole !== undefined) {
    const entries = Array.from(fields, ([key, value]) => ({ key, value }))
    assignments.push({ name: whole.name, value: print({ kind: 'object', entries, span: NO_SPAN }) })
  }
  const field = (name: string) => {
    const known = fields.get(name) ?? variableNamed(names.fresh(name))
    fields.set(name, known)
    return known
  }
  return { kind: 'bound', assignments, field, whole }
}

/** The changes that adapt a sub-rule's texts to the host. */
export function changesOf(names: Names, bound: Bound): TextChanges {
  const replace: Replace = (reading) => {
    const [first, ...rest] = reading.path
    if (reading.kind === 'variable') {
      const name = names.variable(reading.name)
      return name === reading.name ? reading : { ...reading, name }
    }
    if (first?.kind !== 'name') return bound.whole === undefined ? reading : { ...bound.whole, path: reading.path }
    const root = bound.field(first.name)
    return isSameField(root, first.name) ? reading : { ...root, path: [...root.path, ...rest] }
  }
  return {
    expression: (text) => replacedInText(text, replace),
    path: (text) => replacedInPath(text, replace),
    variable: (written) => (names.variable(written) === variableName(written) ? written : names.variable(written)),
  }
}

function isSameField({ kind, path }: Reading, name: string): boolean {
  const [first, ...rest] = path
  return kind === 'field' && rest.length === 0 && first?.kind === 'name' && first.name === name
}
