import type { Ruleset } from '@engine/ruleset'
import { type End, type Place, placeOf } from './graph-walk.ts'

/** A claim about one ruleset, or about an old one and a new one. */
export type Claim =
  | { readonly kind: 'dead_branch' | 'shadowed' | 'always_true' | 'unreachable_step' | 'gap'; readonly place: string }
  | { readonly kind: 'unreachable_code'; readonly code: string }
  | { readonly kind: 'equivalent' | 'no_new_failure' | 'only_adds' | 'only_removes' }
  /** No input whose code was `from` has the code `to` now; `*` is any code. */
  | { readonly kind: 'forbid'; readonly from: string; readonly to: string }

/** Whether a claim is about an old and a new version. */
export function isAboutTwo({ kind }: Claim): boolean {
  return ['equivalent', 'no_new_failure', 'only_adds', 'only_removes', 'forbid'].includes(kind)
}

/** Events that contradict a claim about one ruleset. */
export function eventsAgainst(claim: Claim): readonly string[] {
  switch (claim.kind) {
    case 'dead_branch':
    case 'shadowed':
      return [`taken ${claim.place}`]
    case 'always_true':
      return [`passed ${claim.place}`]
    case 'unreachable_step':
      return [`entered ${claim.place}`]
    case 'gap':
      return [`gap ${claim.place}`]
    case 'unreachable_code':
      return [`code ${claim.code}`]
    default:
      return []
  }
}

/** Whether the ends of two versions contradict a claim about both. */
export function isBreach(claim: Claim, [one, other]: readonly (Place | End)[]): boolean {
  if (one === undefined || other === undefined || !('end' in one && 'end' in other) || one.end === other.end)
    return false
  if (claim.kind === 'only_adds') return one.code !== undefined
  if (claim.kind === 'only_removes') return other.code !== undefined
  if (claim.kind === 'no_new_failure') return one.code !== undefined && other.fails
  if (claim.kind !== 'forbid') return true
  const is = (wanted: string, code: string | undefined): boolean => code !== undefined && ['*', code].includes(wanted)
  return one.code !== other.code && is(claim.from, one.code) && is(claim.to, other.code)
}

/** Whether a claim names a place or a code that the ruleset has. */
export function isAboutPartOf(claim: Claim, { steps }: Ruleset): boolean {
  if (claim.kind === 'unreachable_code')
    return [...steps.values()].some((step) => step.type === 'terminal' && step.code === claim.code)
  if (!('place' in claim)) return true
  return [...steps.values()].some((step) => {
    if (claim.kind === 'unreachable_step') return claim.place === placeOf(step.id)
    if (step.type !== 'decision') return false
    if (claim.kind === 'gap') return step.defaultNext === undefined && claim.place === placeOf(step.id)
    return step.branches.some((_branch, index) => claim.place === placeOf(step.id, index))
  })
}
