import {
  checkedType,
  type DeclaredFields,
  type DraftRuleset,
  type DraftStep,
  parseType,
  type Problem,
  typeOfText,
} from '@engine/authoring'
import { nearest, quote, TYPE, type Type, typeText } from '@engine/expression'
import { at, type Place, pointer } from '@engine/ruleset'
import type { SubRuleInterface } from './tasks.ts'

/**
 * Steps that use a sub-rule without a required input, with an input that can only have another type, or for an output
 * that the sub-rule does not have. Linear in the steps and their bindings.
 *
 * @param fields fields that the draft may read; undefined: any
 */
export function uncovered(
  { steps, subRules = {} }: Pick<DraftRuleset, 'steps' | 'subRules'>,
  used: ReadonlyMap<string, SubRuleInterface>,
  fields?: DeclaredFields,
): readonly Problem[] {
  const own = Object.entries(subRules).flatMap(([name, graph]) =>
    problemsOf(graph.steps, at(at(undefined, 'subRules'), name), undefined),
  )
  return [...problemsOf(steps, undefined, fields), ...own]

  function problemsOf(
    of: readonly DraftStep[],
    place: Place | undefined,
    read: DeclaredFields | undefined,
  ): readonly Problem[] {
    return of.flatMap((step, index) => {
      const asset = step.type === 'sub_rule' && !Object.hasOwn(subRules, step.refName ?? '') ? step.refName : undefined
      const content = asset === undefined ? undefined : used.get(asset)
      return step.type !== 'sub_rule' || content === undefined
        ? []
        : faultsOf(step, content, at(at(place, 'steps'), index), read)
    })
  }
}

/** True if a value of some types can be a value of an input. Null omits an input that is not required. */
function mayBe(found: Type, { type, required }: SubRuleInterface['bindings'][number]): boolean {
  const wanted = parseType(type)
  return wanted === undefined || (found & (checkedType(wanted) | (required ? 0 : TYPE.null))) !== 0
}

type SubRuleStep = Extract<DraftStep, { readonly type: 'sub_rule' }>

function faultsOf(
  { id, refName = '', bindings, outputs }: SubRuleStep,
  content: SubRuleInterface,
  place: Place,
  fields: DeclaredFields | undefined,
): readonly Problem[] {
  const inputs = content.bindings.map(({ name }) => name)
  const given = new Set(bindings.map(({ field }) => field))
  const results = content.outputs.map(({ name }) => name)
  const problem = (where: Place, code: string, message: string): Problem => ({
    path: pointer(where),
    code,
    message,
    severity: 'error',
    step_id: id,
  })
  const guess = (name: string, known: readonly string[]) => {
    const close = nearest(name, known)
    return close === undefined ? '' : `; did you mean ${quote(close)}?`
  }
  return [
    ...content.bindings
      .filter(({ name, required }) => required && !given.has(name))
      .map(({ name }) =>
        problem(
          at(place, 'bindings'),
          'missing-binding',
          `the sub-rule ${quote(refName)} needs its input ${quote(name)}`,
        ),
      ),
    ...bindings.flatMap(({ field }, index) =>
      field === undefined || inputs.includes(field)
        ? []
        : [
            problem(
              at(at(at(place, 'bindings'), index), 'field'),
              'unknown-binding',
              `the sub-rule ${quote(refName)} has no input ${quote(field)}${guess(field, inputs)}`,
            ),
          ],
    ),
    ...bindings.flatMap(({ field, expr }, index) => {
      const input = content.bindings.find(({ name }) => name === field)
      const found = typeOfText(expr, fields)
      if (input === undefined || mayBe(found, input)) return []
      const message = `the sub-rule ${quote(refName)} has the input ${quote(input.name)} of the type ${quote(input.type)}, found ${typeText(found)}`
      return [problem(at(at(at(place, 'bindings'), index), 'expr'), 'binding-type', message)]
    }),
    ...outputs.flatMap(({ childVar, parentVar }, index) => {
      const name = childVar ?? parentVar
      if (name === undefined || results.includes(name)) return []
      const message = `the sub-rule ${quote(refName)} has no output ${quote(name)}${guess(name, results)}`
      return [problem(at(at(at(place, 'outputs'), index), 'childVar'), 'unknown-output', message)]
    }),
  ]
}
