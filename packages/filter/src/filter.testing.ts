import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'

/** A branch: its condition and its target. */
export type BranchOf = readonly [condition: string, next: string]

/** A step in short form: a decision by its branches and default, a terminal by its code, or by code and output. */
export type StepOf =
  | string
  | {
      readonly branches?: readonly BranchOf[]
      readonly next?: string
      readonly set?: { readonly [name: string]: Value }
      readonly code?: string
      readonly output?: { readonly [name: string]: string }
    }

/** A ruleset of steps in short form. */
export function rulesetOf(
  steps: { readonly [id: string]: StepOf },
  config: { readonly [key: string]: Value } = {},
): Ruleset {
  const document = {
    config: { name: 'r', version: '1', entry_step: Object.keys(steps)[0] ?? '', ...config },
    steps: Object.fromEntries(Object.entries(steps).map(([id, step]) => [id, stepOf(id, step)])),
  } as Value
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'))
  return ruleset
}

function stepOf(id: string, step: StepOf): Value {
  if (typeof step === 'string') return { id, type: 'terminal', result: { code: step, message: '' } }
  if (step.code !== undefined)
    return { id, type: 'terminal', result: { code: step.code, message: '', output: Object.entries(step.output ?? {}) } }
  if (step.set !== undefined) {
    const actions = Object.entries(step.set).map(([name, value]) => ({ action: 'set_variable', name, value }))
    return { id, type: 'action', actions, next_step: step.next ?? '' }
  }
  const branches = (step.branches ?? []).map(([condition, next]) => ({ condition, next_step: next }))
  return { id, type: 'decision', branches, ...(step.next === undefined ? {} : { default_next: step.next }) }
}

/** One decision: the condition leads to `YES`, otherwise `NO`. */
export function decisionOn(condition: string, config: { readonly [key: string]: Value } = {}): Ruleset {
  return rulesetOf({ first: { branches: [[condition, 'yes']], next: 'no' }, yes: 'YES', no: 'NO' }, config)
}
