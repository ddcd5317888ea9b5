import {
  checkedType,
  type DeclaredFields,
  type DraftGraph,
  type DraftStep,
  parseType,
  type Problem,
  typeOfText,
} from '@engine/authoring'
import { quote, TYPE, type Type, typeText } from '@engine/expression'
import { at, type Place, pointer } from '@engine/ruleset'
import type { SubRuleInterface } from './tasks.ts'

/** An assignment of a variable, and the types that its value may have. */
interface Setting {
  readonly name: string
  readonly place: Place
  readonly stepId: string
  readonly type: Type
}

/**
 * Outputs of a sub-rule whose variable is never set to a value of their type. An output is valid if one of its
 * assignments may have its type. Linear in the texts of the graph. Paths are relative to the graph.
 */
export function mistypedOutputs(
  { steps }: DraftGraph,
  outputs: SubRuleInterface['outputs'],
  fields: DeclaredFields,
): readonly Problem[] {
  const wanted = new Set(outputs.map(({ name }) => name))
  const settings = steps.flatMap((step, index) => settingsOf(step, at(at(undefined, 'steps'), index), fields, wanted))
  const byName = Map.groupBy(settings, ({ name }) => name)
  return outputs.flatMap(({ name, type }): readonly Problem[] => {
    const own = byName.get(name) ?? []
    const declared = parseType(type)
    const [first] = own
    const found = own.reduce((types, setting) => types | setting.type, 0)
    if (first === undefined || declared === undefined || (found & checkedType(declared)) !== 0) return []
    const message = `the output ${quote(name)} has the type ${quote(type)}, found ${typeText(found)}`
    return [{ path: pointer(first.place), code: 'output-type', message, severity: 'error', step_id: first.stepId }]
  })
}

function settingsOf(
  step: DraftStep,
  place: Place,
  fields: DeclaredFields,
  wanted: ReadonlySet<string>,
): readonly Setting[] {
  const setting = (name: string | undefined, where: Place, text: string | undefined): readonly Setting[] =>
    name !== undefined && wanted.has(name)
      ? [{ name, place: where, stepId: step.id, type: text === undefined ? TYPE.any : typeOfText(text, fields) }]
      : []
  switch (step.type) {
    case 'action':
      return [
        ...step.assignments.flatMap(({ name, value }, index) =>
          setting(name, at(at(at(place, 'assignments'), index), 'value'), value),
        ),
        // The type of a call's result is unknown.
        ...(step.externalCalls ?? []).flatMap(({ resultVariable }) => setting(resultVariable, place, undefined)),
      ]
    case 'table':
      return step.columns.flatMap(({ kind, field, id }) => {
        if (kind !== 'output') return []
        if (step.hitPolicy === 'collect') return setting(field, place, undefined)
        return step.rows.flatMap(({ cells }, index) => {
          const text = cells[id] ?? ''
          return text.trim() === '' ? [] : setting(field, at(at(at(at(place, 'rows'), index), 'cells'), id), text)
        })
      })
    case 'sub_rule':
      return step.outputs.flatMap(({ parentVar, childVar }) => setting(parentVar ?? childVar, place, undefined))
    case 'decision':
    case 'terminal':
      return []
  }
}
