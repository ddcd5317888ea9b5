import { quote, typeText } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import type { DraftRuleset, TerminalStep } from '../draft/model.ts'
import type { DeclaredFields } from '../engine/declared-types.ts'
import { below } from '../place.ts'
import { typeOfText } from '../engine/static-type.ts'
import { messages, type Problem, Report } from '../problem.ts'
import type { Contract } from './contract.ts'
import { checkedType, parseType } from './type.ts'

/** Problems that are looked for: a terminal may lack thousands of outputs, and there may be thousands of terminals. */
const MAX_COUNT = 1000

/**
 * What terminals give otherwise than the contract says of their codes: outputs that are missing, that are not among those that
 * it names, or whose value can only be of another type. Of a code without outputs nothing is said. Warnings: specification 4.10 holds a draft to codes. Costs the outputs and their
 * texts.
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
