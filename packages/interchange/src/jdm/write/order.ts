import type { DraftStep } from '@engine/authoring'

/** The reachable steps in topological order, or a step on a cycle. Linear in steps and exits. */
export function stepOrder(
  start: string,
  steps: ReadonlyMap<string, DraftStep>,
): readonly DraftStep[] | { readonly loop: string } {
  const open: { readonly id: string; readonly targets: readonly string[]; at: number }[] = []
  const state = new Map<string, 'open' | 'done'>()
  const behind: DraftStep[] = []
  const enter = (id: string) => {
    const step = steps.get(id)
    if (step === undefined) return
    state.set(id, 'open')
    open.push({ id, targets: targetsOf(step), at: 0 })
  }
  enter(start)
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const target = top.targets[top.at++]
    if (target === undefined) {
      state.set(top.id, 'done')
      const step = steps.get(top.id)
      if (step !== undefined) behind.push(step)
      open.pop()
    } else if (state.get(target) === 'open') return { loop: target }
    else if (!state.has(target)) enter(target)
  }
  return behind.toReversed()
}

function targetsOf(step: DraftStep): readonly string[] {
  const ids = (): readonly (string | undefined)[] => {
    switch (step.type) {
      case 'terminal':
        return []
      case 'decision':
        return [...step.branches.map(({ nextStepId }) => nextStepId), step.defaultNextStepId]
      case 'table':
        return [...step.rows.map(({ nextStepId }) => nextStepId), step.nextStepId, step.defaultNextStepId]
      case 'action':
      case 'sub_rule':
        return [step.nextStepId]
    }
  }
  return ids().filter((id) => id !== undefined)
}
