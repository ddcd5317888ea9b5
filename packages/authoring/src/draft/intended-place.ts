import { escapedKey, keysOfPointer } from '@engine/expression'
import type { DraftGraph, DraftRuleset } from './model.ts'

/**
 * The place of an intended finding: the JSON pointer of a problem with ids instead of the indexes of steps, branches
 * and rows, which edits change. Cost: the length of the lists on the path.
 */
export function intendedPlace(path: string, draft: DraftRuleset): string {
  const keys = [...keysOfPointer(path)]
  const named: string[] = []
  let graph: DraftGraph | undefined = draft
  let at = 0
  if (keys[0] === 'subRules' && keys[1] !== undefined) {
    graph = draft.subRules !== undefined && Object.hasOwn(draft.subRules, keys[1]) ? draft.subRules[keys[1]] : undefined
    named.push('subRules', keys[1])
    at = 2
  }
  const step = keys[at] === 'steps' ? graph?.steps[Number(keys[at + 1])] : undefined
  if (step !== undefined) {
    named.push('steps', step.id)
    at += 2
    const list = keys[at]
    const items =
      list === 'branches' && step.type === 'decision'
        ? step.branches
        : list === 'rows' && step.type === 'table'
          ? step.rows
          : undefined
    const item = items?.[Number(keys[at + 1])]
    if (list !== undefined && item !== undefined) {
      named.push(list, item.id)
      at += 2
    }
  }
  return [...named, ...keys.slice(at)].map((key) => `/${escapedKey(key)}`).join('')
}
