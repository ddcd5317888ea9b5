import type { Expression } from '@engine/expression/core'
import type { Action, Ruleset, Step } from './model.ts'

/**
 * Every action of a step, including those of its branches. Other kinds of steps, such as uses of sub-rules, have none.
 */
export function actionsOf(step: Step | { readonly type: 'sub_rule' }): readonly Action[] {
  switch (step.type) {
    case 'action':
      return step.actions
    case 'decision':
      return step.branches.flatMap(({ actions }) => actions)
    case 'terminal':
    case 'sub_rule':
      return []
  }
}

/** The names of the rulesets that a ruleset calls by `call_ruleset`. */
export function calledRulesets({ steps }: Pick<Ruleset, 'steps'>): readonly string[] {
  const actions = [...steps.values()].flatMap(actionsOf)
  return [...new Set(actions.flatMap((action) => (action.action === 'call_ruleset' ? [action.rulesetName] : [])))]
}

/** Every expression that an action evaluates. */
export function expressionsOfAction(action: Action): readonly Expression[] {
  switch (action.action) {
    case 'set_variable':
    case 'metric':
      return [action.value]
    case 'external_call':
      return action.params.map(([, value]) => value)
    case 'call_ruleset':
      return action.inputMapping === undefined ? [] : [action.inputMapping]
    case 'log':
      return []
  }
}

/** Every expression of a step. */
export function expressionsOf(step: Step): readonly Expression[] {
  const inActions = actionsOf(step).flatMap(expressionsOfAction)
  switch (step.type) {
    case 'action':
      return inActions
    case 'decision':
      return [...step.branches.map(({ condition }) => condition), ...inActions]
    case 'terminal': {
      const parts =
        step.message.kind === 'template' ? step.message.parts.filter((part) => typeof part !== 'string') : []
      return [...parts, ...step.output.map(([, expression]) => expression)]
    }
  }
}
