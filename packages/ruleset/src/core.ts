export type * from './model.ts'
export { refuseName } from './name.ts'
export type { Fault } from './problems.ts'
export { decodeRuleset, decodeWithoutText, rulesetDecoding } from './decode.ts'
export type { DecodedRuleset, DecodeOptions } from './decode.ts'
export { ReadExpressions } from './decode/read-expressions.ts'
export {
  changesVariables,
  cycles,
  endlessLoops,
  longestPath,
  predecessors,
  reachable,
  stepGraph,
  targetIds,
} from './graph.ts'
export type { StepGraph } from './graph.ts'
export type * from './capability.ts'
export { ANY_OPERATION, createCapabilities, type Capabilities } from './capability-registry.ts'
export {
  checkedType,
  conceptNamed,
  conceptOf,
  type Concepts,
  dependentConcepts,
  factTypeFor,
  type FieldType,
  hasType,
  NO_CONCEPTS,
  parseType,
  typeText,
} from './contract/field-type.ts'
export {
  type ContractField,
  digitsText,
  type InputContract,
  type Violation,
  violationsOf,
  MAX_SHOWN_VIOLATIONS,
} from './contract/input-contract.ts'
export { ContractError, ExecutionError } from './program.ts'
export type { Decision, ExecuteOptions, ExecutionResult, Host, Program, Trace, TraceStep } from './program.ts'
export type { CallChain } from './program.ts'
export { createInterpretedProgram, createProgram } from './create-program.ts'
export { createDispatch, type Dispatch } from './dispatch/dispatch.ts'
export type { ProgramOptions } from './create-program.ts'
export { BranchCounts, type TakenBranches } from './execute/branch-counts.ts'
export { evaluationPolicy } from './evaluation-policy.ts'
export { actionsOf, calledRulesets, expressionsOf, expressionsOfAction } from './step-expressions.ts'
export { inspect, valueAt } from './inspect.ts'
export { type FieldRead, fieldReads } from './field-reads.ts'
export { type InputField, inputsOf, type RulesetInputs } from './inputs.ts'
export { inputUse, type InputUse, type SuspectField } from './input-use.ts'
export type { InspectedBranch, InspectedStep, Inspection, ValueAnswer } from './inspect.ts'
export { described, type Fields, isFields, member } from './decode/field.ts'
export { at, type Place, pointer } from './decode/place.ts'
export { type Diagram, diagramOf } from './diagram/diagram.ts'
export { diagramDot, diagramMermaid, diagramText } from './diagram/text-forms.ts'
export { diagramSvg } from './diagram/svg.ts'
