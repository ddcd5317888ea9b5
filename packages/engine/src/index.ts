export { createEngine, NoRulesetError, RulesetProblems, WaitingRuleError } from './engine.ts'
export type { CalledCapability, Engine, EngineOptions, Input } from './engine.ts'
