import type { DraftStep } from '@engine/authoring'

const COLOURS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'] as const
const OTHER = '--c-other'

/**
 * The colour of each result code, as a custom property: six colours in the order of the contract, then of the steps;
 * further codes share one.
 */
export function codeColours(
  steps: readonly DraftStep[],
  contract: readonly string[] = [],
): ReadonlyMap<string, string> {
  const own = steps.flatMap((step) => (step.type === 'terminal' && step.code !== undefined ? [step.code] : []))
  const codes = [...new Set([...contract, ...own])]
  return new Map(codes.map((code, index) => [code, COLOURS[index] ?? OTHER]))
}
