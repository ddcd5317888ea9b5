import {
  addFunctions,
  type FunctionGroup,
  makeFunction,
  nearest,
  parseJson,
  quote,
  type Value,
} from '@engine/expression/core'
import {
  type AbortSignalLike,
  type CapabilityProvider,
  createCapabilities,
  createInterpretedProgram,
  type DecodedRuleset,
  type Decision,
  decodeWithoutText,
  type ExecutionResult,
  type Fault,
  type Host,
  type Program,
  type Ruleset,
} from '@engine/ruleset/core'
import { limit, monotonic } from './timers.ts'

/** The fields of a decision's input. Dates are texts or epoch milliseconds. */
export interface Input {
  readonly [field: string]: Value
}

/** An ability of the program that rules call: `network.http`, or one of your own. */
export type CalledCapability = CapabilityProvider

/** Prepares rulesets as JavaScript. */
export type Compiler = (ruleset: Ruleset, host: Host) => Program

export interface EngineOptions {
  /**
   * Documents of rulesets (specification 2.1), as `JSON.parse` returns them, or their JSON texts. Only texts preserve
   * numbers with more than 15 digits. `readRulesets` of `@engine/engine/files` reads them from files.
   */
  readonly rulesets?: readonly unknown[]
  /**
   * Functions beyond the core of the language, from `@engine/engine/functions`; added for the whole program. Default: none.
   */
  readonly functions?: readonly FunctionGroup[]
  /** For `external_call` steps. Default: none, so a rule that waits for such a call fails. */
  readonly capabilities?: readonly CalledCapability[]
  /** Epoch milliseconds for `now()` of rules. Default: the clock. */
  readonly now?: () => number
  /** Messages of `log` actions. Default: dropped. */
  readonly onLog?: Host['log']
  /** Values of `metric` actions. Default: dropped. */
  readonly onMetric?: Host['metric']
  /**
   * From `@engine/engine/compiler`: rules are compiled to JavaScript if the platform allows it. Default: they are
   * interpreted.
   */
  readonly compiler?: Compiler
}

interface CallOptions {
  /** Epoch milliseconds for `now()` of this call. */
  readonly now?: number
  /** Ends a waiting execution. */
  readonly signal?: AbortSignalLike
}

/** Rulesets of a program, ready for decisions. */
export interface Engine {
  /**
   * Decide. Returns a promise only if a rule waits for a capability; `await` handles both. Throws or rejects with
   * `NoRulesetError` or `ExecutionError`.
   */
  decide(name: string, input: Input, options?: CallOptions): Decision | Promise<Decision>
  /** The same for rulesets that never wait. Throws `WaitingRuleError` for others. */
  decideSync(name: string, input: Input, options?: Pick<CallOptions, 'now'>): Decision
  /** Decide with the duration and, on request, the trace. */
  execute(
    name: string,
    input: Input,
    options?: CallOptions & { readonly trace?: boolean; readonly traceValues?: boolean },
  ): ExecutionResult | Promise<ExecutionResult>
  /** In the order in which they were added. */
  names(): readonly string[]
  /** Add a ruleset, or replace the one of this name; a document or its JSON text. Returns its name. Throws `RulesetProblems`; then nothing changes. */
  set(document: unknown): string
  /** Returns whether it existed. */
  remove(name: string): boolean
  /** All reasons why a document cannot be used; empty for a valid one. */
  problems(document: unknown): readonly Fault[]
}

/** A document is not a ruleset. The message has a line for each problem: its place and reason. */
export class RulesetProblems extends Error {
  override readonly name = 'RulesetProblems'
  readonly problems: readonly Fault[]
  constructor(problems: readonly Fault[]) {
    super(problems.map(({ path, message }) => `${path === '' ? '/' : path}: ${message}`).join('\n'))
    this.problems = problems
  }
}

/** No ruleset has this name. */
export class NoRulesetError extends Error {
  override readonly name = 'NoRulesetError'
}

/** `decideSync` of a ruleset that waits for a capability. */
export class WaitingRuleError extends Error {
  override readonly name = 'WaitingRuleError'
}

/** Create an engine. Throws `RulesetProblems` for the first document that is not a ruleset. */
export function createEngine(options: EngineOptions = {}): Engine {
  const {
    rulesets = [],
    functions = [],
    compiler = createInterpretedProgram,
    capabilities = [],
    now = Date.now,
    onLog = () => {},
    onMetric = () => {},
  } = options
  addFunctions(...functions)
  const programs = new Map<string, Program>()
  let generation = 0
  const host: Host = {
    rulesets: {
      resolve: (name) => programs.get(name),
      get generation() {
        return generation
      },
    },
    capabilities: createCapabilities(...capabilities),
    log: onLog,
    metric: onMetric,
    callFailed: () => {},
    monotonic,
    now,
    makeFunction: options.compiler !== undefined && canCompile() ? makeFunction : undefined,
    limit,
    pause: undefined,
  }

  function set(document: unknown): string {
    const { ruleset, problems } = decode(document)
    if (ruleset === undefined) throw new RulesetProblems(problems)
    const { name } = ruleset.config
    programs.set(name, compiler(ruleset, host))
    generation++
    return name
  }

  function programOf(name: string): Program {
    const program = programs.get(name)
    if (program !== undefined) return program
    const meant = nearest(name, [...programs.keys()])
    throw new NoRulesetError(
      `there is no ruleset ${quote(name)}${meant === undefined ? '' : `: did you mean ${quote(meant)}?`}`,
    )
  }

  for (const document of rulesets) {
    const before = programs.size
    const name = set(document)
    if (programs.size === before)
      throw new RulesetProblems([
        { code: 'duplicate-name', path: '/config/name', message: `${quote(name)} is given twice` },
      ])
  }
  return {
    decide: (name, input, callOptions) => programOf(name).decide(input, callOptions),
    decideSync: (name, input, callOptions) => {
      const decision = programOf(name).decide(input, callOptions)
      if (!('then' in decision)) return decision
      // Prevents an unhandled rejection.
      decision.catch(() => {})
      throw new WaitingRuleError(`the ruleset ${quote(name)} waits for a capability: use \`await engine.decide\``)
    },
    execute: (name, input, callOptions) => programOf(name).execute(input, callOptions),
    names: () => [...programs.keys()],
    set,
    remove: (name) => {
      const isRemoved = programs.delete(name)
      if (isRemoved) generation++
      return isRemoved
    },
    problems: (document) => decode(document).problems,
  }
}

/** Copies the document, so that later changes of it have no effect. */
function decode(document: unknown): Pick<DecodedRuleset, 'ruleset' | 'problems'> {
  const isText = typeof document === 'string'
  const parsed = isText
    ? parseJson(document, { duplicateKeys: 'refuse', numbers: 'document' })
    : parseJson(jsonOf(document) ?? '', { duplicateKeys: 'last' })
  if (parsed.kind === 'parsed') return decodeWithoutText(parsed.value)
  return isText
    ? { problems: [{ code: 'not-json', path: '', message: parsed.problem.message }] }
    : { problems: [{ code: 'no-object', path: '', message: 'a ruleset is an object of JSON' }] }
}

/** Undefined for values that are not JSON, such as functions and cyclic objects. */
function jsonOf(document: unknown): string | undefined {
  try {
    return JSON.stringify(document)
  } catch {
    return undefined
  }
}

/** Pages with a strict content security policy, and some serverless hosts, forbid generated code. */
function canCompile(): boolean {
  try {
    makeFunction([], 'return 0')
    return true
  } catch {
    return false
  }
}
