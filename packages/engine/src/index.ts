import { FUNCTION_GROUPS } from '@engine/expression/functions'
import { compiler } from './compiler.ts'
import { createEngine as createCoreEngine, type Engine, type EngineOptions as CoreOptions } from './engine.ts'

export { NoRulesetError, RulesetProblems, WaitingRuleError } from './engine.ts'
export type { CalledCapability, Engine, Input } from './engine.ts'

export interface EngineOptions extends Omit<CoreOptions, 'compiler' | 'functions'> {
  /** `compile` generates JavaScript if the platform allows it, and otherwise interprets. Default: `compile`. */
  readonly mode?: 'compile' | 'interpret'
}

/** Create an engine with the full language. Throws `RulesetProblems` for the first document that is not a ruleset. */
export function createEngine({ mode = 'compile', ...options }: EngineOptions = {}): Engine {
  return createCoreEngine({
    ...options,
    functions: FUNCTION_GROUPS,
    ...(mode === 'compile' && { compiler }),
  })
}
