import { isDecimal } from '@engine/expression'
import type { Branch, Ruleset, Step } from '@engine/ruleset'

/**
 * The later version with its unchanged parts taken from the earlier one, so that caches by identity of an expression still hold.
 * Steps are paired by id, branches by their distance from the first or the last one. Linear in both versions.
 */
export function sharing(before: Ruleset, { config, steps }: Ruleset): Ruleset {
  return {
    config: earlier(before.config, config),
    steps: new Map(Array.from(steps, ([id, step]) => [id, sharedStep(before.steps.get(id), step)])),
  }
}

/** The earlier one of two parts if they are equal. */
function earlier<Part>(before: Part | undefined, part: Part): Part {
  return before !== undefined && isEqual(before, part) ? before : part
}

function sharedStep(before: Step | undefined, step: Step): Step {
  if (before?.type !== 'decision' || step.type !== 'decision') return earlier(before, step)
  const shift = before.branches.length - step.branches.length
  const branches = step.branches.map((branch, index) => {
    const fromStart = sharedBranch(before.branches[index], branch)
    return fromStart === branch ? sharedBranch(before.branches[index + shift], branch) : fromStart
  })
  return earlier(before, { ...step, branches })
}

function sharedBranch(before: Branch | undefined, branch: Branch): Branch {
  const condition = earlier(before?.condition, branch.condition)
  return condition === branch.condition ? branch : earlier(before, { ...branch, condition })
}

/** Whether parts of decoded rulesets are equal, the order of their members included. */
export function isEqual(left: unknown, right: unknown): boolean {
  // Long chains of operators are deep trees: a recursion would be too.
  const pending = [left, right]
  while (pending.length > 0) {
    const [one, other] = [pending.pop(), pending.pop()]
    if (Object.is(one, other)) continue
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
    if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false
    if (isDecimal(one) && isDecimal(other)) pending.push(String(one), String(other))
    else if (one instanceof Map && other instanceof Map) pending.push([...one], [...other])
    else {
      const names = Object.keys(other)
      let count = 0
      for (const name of Object.keys(one)) {
        if (name !== names[count++]) return false
        pending.push(Reflect.get(one, name), Reflect.get(other, name))
      }
      if (count < names.length) return false
    }
  }
  return true
}
