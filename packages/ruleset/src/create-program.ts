import { generateCode } from './compile/generate.ts'
import { isTooLarge } from './compile/size-limit.ts'
import { createContractCheck } from './contract/contract-check.ts'
import type { BranchCounts } from './execute/branch-counts.ts'
import type { Ruleset } from './model.ts'
import type { Host, Program } from './program.ts'
import { type Compiler, RulesetProgram } from './ruleset-program.ts'

const COMPILER: Compiler = { isTooLarge, generateCode, createContractCheck }

export interface ProgramOptions {
  /** Find the first true branch by index when there are many. Default true; the results are the same. */
  readonly dispatch?: boolean
  /** Counts the branches that executions take. */
  readonly branchCounts?: BranchCounts | undefined
}

/**
 * Prepare a ruleset for execution: as generated JavaScript when the host can create functions, otherwise interpreted.
 * Code is generated at the first execution, so an unused program costs almost nothing.
 */
export function createProgram(ruleset: Ruleset, host: Host, options: ProgramOptions = {}): Program {
  return new RulesetProgram(ruleset, host, COMPILER, options.dispatch ?? true, options.branchCounts)
}

/** Prepare a ruleset for interpretation. The results are the same, and bundles omit the compiler. */
export function createInterpretedProgram(ruleset: Ruleset, host: Host): Program {
  return new RulesetProgram(ruleset, host, undefined, false)
}
