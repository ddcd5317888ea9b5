import { type Expression, parse, type Value } from '@engine/expression'
import { decodeRuleset, type Ruleset, type RulesetDocument } from '@engine/ruleset'

export interface DecisionOptions {
  readonly config?: { readonly [key: string]: Value }
  /** The targets of the branches, in turn; a step of each name ends with its code. */
  readonly targets?: readonly string[]
  /** The target behind the last branch; null: none. */
  readonly rest?: string | null
  readonly steps?: { readonly [id: string]: Value }
}

/** A decision `d` with these conditions, whose branches end with the codes A and B in turn, and with C behind them. */
export function decisionOf(
  conditions: readonly string[],
  { config = {}, targets = ['A', 'B'], rest = 'C', steps = {} }: DecisionOptions = {},
): RulesetDocument {
  const branches = conditions.map((condition, index) => ({
    condition,
    next_step: targets[index % targets.length] ?? '',
  }))
  const ends = ['A', 'B', 'C'].map((id) => [id, { id, type: 'terminal', result: { code: id, message: '' } }] as const)
  return {
    config: { name: 'decision', entry_step: 'd', ...config },
    steps: {
      ...Object.fromEntries(ends),
      d: { id: 'd', type: 'decision', branches, ...(rest !== null && { default_next: rest }) },
      ...steps,
    },
  }
}

export function rulesetOf(document: RulesetDocument): Ruleset {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

export function expressionOf(text: string): Expression {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  return read.expression
}
