import { quote, typeText } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import type { DraftRuleset, TerminalStep } from '../draft/model.ts'
import type { DeclaredFields } from '../engine/declared-types.ts'
import { below } from '../place.ts'
import { typeOfText } from '../engine/static-type.ts'
import { messages, type Problem, Report } from '../problem.ts'
import type { Contract } from './contract.ts'
import { checkedType, parseType } from '@engine/ruleset'

/** Maximum number of problems: thousands of terminals may each lack thousands of outputs. */
const MAX_COUNT = 1000

/**
 * Warns where a terminal deviates from the contract's outputs of its code: missing or undeclared outputs, and values
 * that can only be of another type. Codes without declared outputs are not checked. Only warnings, because
 * specification 4.10 checks just the codes. Linear in the outputs and their texts.
 */
export function checkOutputs(
  { steps }: Pick<DraftRuleset, 'steps'>,
  { outputs }: Contract,
  fields: DeclaredFields,
): readonly Problem[] {
  const report = new Report()
  const codes = new Map(
    outputs.map(({ code, fields: of }) => [code, new Map(of.map(({ name, type }) => [name, type]))]),
  )
  for (const [index, step] of steps.entries()) {
    const declared = step.type === 'terminal' ? codes.get(step.code ?? '') : undefined
    if (step.type !== 'terminal' || declared === undefined) continue
    report.stepId = step.id
    checkTerminal(report, below(undefined, 'steps', index), step, declared, fields)
    if (report.problems.length >= MAX_COUNT) break
  }
  return report.problems
}

function checkTerminal(
  report: Report,
  place: Place,
  { code = '', output = [] }: TerminalStep,
  declared: ReadonlyMap<string, string>,
  fields: DeclaredFields,
): void {
  const set = new Set(output.map(({ name }) => name))
  let missing = 0
  for (const name of declared.keys())
    if (!set.has(name) && missing++ < MAX_COUNT) report.warn(below(place, 'output'), messages.missingOutput(code, name))
  for (const [index, { name = '', value }] of output.entries()) {
    const here = below(place, 'output', index)
    const type = declared.get(name)
    const wanted = type === undefined ? undefined : parseType(type)
    if (name !== '' && type === undefined && declared.size > 0)
      report.warn(below(here, 'name'), messages.undeclaredOutput(code, name))
    if (type === undefined || wanted === undefined) continue
    const found = typeOfText(value, fields)
    if ((found & checkedType(wanted)) === 0)
      report.warn(below(here, 'value'), messages.outputType(name, quote(type), typeText(found)))
  }
}
