import { isList, type Value } from '@engine/expression'
import { type Fields, isFields, member } from '@engine/ruleset'
import { checkContract, type ContractChange } from '../contract/check.ts'
import type { WholeContract } from '../contract/contract.ts'
import { type Change, changesOf } from '../draft/diff.ts'
import { type BranchChange, branchChanges, WAYS_OUT } from './branches.ts'

/** The differences between the steps of two graphs. The order of steps has no meaning. */
export interface GraphComparison {
  /** Changes outside of steps and sub-rules. Pointers into the graph. */
  readonly config: readonly Change[]
  readonly steps_added: readonly string[]
  readonly steps_removed: readonly string[]
  /** Changes of steps on both sides, without their outcomes. Pointers into the step. */
  readonly steps_changed: readonly (Change & { readonly id: string })[]
  /** Changed outcomes of steps on both sides: branches, table rows, defaults. */
  readonly branches_changed: readonly BranchChange[]
}

export interface SubRuleComparison extends GraphComparison {
  readonly name: string
  readonly change: 'added' | 'removed' | 'changed'
}

/** The differences that a reviewer reads. */
export interface RulesetComparison extends GraphComparison {
  readonly sub_rules: readonly SubRuleComparison[]
  /** By the rule of specification 9.3; null when one side has no contract. */
  readonly contract: ContractChange | null
}

export interface ComparedContracts {
  readonly base?: WholeContract | undefined
  readonly next?: WholeContract | undefined
}

const NOTHING: Fields = { steps: [] }

/** Members that are compared separately, or that no engine executes. */
const APART: ReadonlySet<string> = new Set(['steps', 'subRules', 'sub_rules', 'samples', '_signature'])

/**
 * The differences between two rulesets, both drafts or both in engine format; undefined: the ruleset does not exist on
 * that side. Linear in the size of both; for branches in engine format, which have no ids, times the logarithm of their
 * number.
 */
export function compareRulesets(
  base: Fields | undefined,
  next: Fields | undefined,
  contracts: ComparedContracts = {},
): RulesetComparison {
  const [before, after] = [base ?? NOTHING, next ?? NOTHING]
  const graphs = compareGraphs(before, after)
  return {
    // When all steps are added or removed, changes of other members are irrelevant.
    ...(base === undefined || next === undefined ? { ...graphs, config: [] } : graphs),
    sub_rules: compareSubRules(subRulesOf(before), subRulesOf(after)),
    contract:
      contracts.base === undefined || contracts.next === undefined
        ? null
        : checkContract(contracts.base, contracts.next),
  }
}

function compareGraphs(before: Fields, after: Fields): GraphComparison {
  const [earlier, later] = [stepsOf(before), stepsOf(after)]
  const both = [...earlier].flatMap(([id, was]) => {
    const is = later.get(id)
    return is === undefined ? [] : [{ id, was, is }]
  })
  return {
    config: changesOf(without(before, APART), without(after, APART)),
    steps_added: [...later.keys()].filter((id) => !earlier.has(id)),
    steps_removed: [...earlier.keys()].filter((id) => !later.has(id)),
    steps_changed: both.flatMap(({ id, was, is }) =>
      changesOf(without(was, WAYS_OUT), without(is, WAYS_OUT)).map((change) => ({ id, ...change })),
    ),
    branches_changed: both.flatMap(({ id, was, is }) => branchChanges(id, was, is)),
  }
}

function compareSubRules(before: Fields, after: Fields): readonly SubRuleComparison[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name): SubRuleComparison[] => {
    const [was, is] = [graphOf(before, name), graphOf(after, name)]
    const found = compareGraphs(was ?? NOTHING, is ?? NOTHING)
    const isChanged = Object.values(found).some((list: readonly unknown[]) => list.length > 0)
    if (was !== undefined && is !== undefined && !isChanged) return []
    return [{ name, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed', ...found }]
  })
}

/** Steps by id: a list in drafts, an object in engine format. */
function stepsOf(graph: Fields): ReadonlyMap<string, Fields> {
  const steps = member(graph, 'steps')
  const list: readonly (readonly [Value | undefined, Value])[] = isList(steps)
    ? steps.map((step) => [isFields(step) ? member(step, 'id') : undefined, step])
    : Object.entries(isFields(steps) ? steps : {})
  return new Map(list.flatMap(([id, step]) => (isFields(step) && typeof id === 'string' ? [[id, step]] : [])))
}

function subRulesOf(ruleset: Fields): Fields {
  const found = member(ruleset, 'subRules') ?? member(ruleset, 'sub_rules')
  return isFields(found) ? found : {}
}

function graphOf(subRules: Fields, name: string): Fields | undefined {
  const graph = member(subRules, name)
  return isFields(graph) ? graph : undefined
}

function without(fields: Fields, keys: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.has(key)))
}
