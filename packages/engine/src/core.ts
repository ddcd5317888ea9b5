export { createEngine, NoRulesetError, RulesetProblems, WaitingRuleError } from './engine.ts'
export type { CalledCapability, Compiler, Engine, EngineOptions, Input } from './engine.ts'
