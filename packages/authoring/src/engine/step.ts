import type { Value } from '@engine/expression'

/** Steps of the engine's format by id. */
export type EngineSteps = readonly (readonly [id: string, step: { readonly [key: string]: Value }])[]

/** The members common to all engine steps. */
export function head(step: { readonly id: string; readonly name?: string }, type: string): { [key: string]: Value } {
  return { id: step.id, ...(step.name === undefined ? {} : { name: step.name }), type }
}
