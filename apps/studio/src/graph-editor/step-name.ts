import type { DraftStep } from '@engine/authoring'

/** The name of a step; for an unnamed result its code. */
export const stepName = (step: DraftStep): string => step.name ?? codeOf(step) ?? step.id

/** The name of a step among others to choose from: results may share a code. */
export function stepChoice(step: DraftStep): string {
  const code = codeOf(step)
  return step.name ?? (code === undefined ? step.id : `${code} (${step.id})`)
}

const codeOf = (step: DraftStep) => (step.type === 'terminal' && step.code !== '' ? step.code : undefined)
