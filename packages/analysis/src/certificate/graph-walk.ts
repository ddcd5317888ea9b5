import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canFail, type EvaluationPolicy, type Expression, print } from '@engine/expression'
import {
  type Action,
  at,
  type DecisionStep,
  evaluationPolicy,
  expressionsOfAction,
  pointer,
  type Ruleset,
  type TerminalStep,
} from '@engine/ruleset'
import { answerMember, answerOf } from '../formula/answers.ts'
import { AskedCalls, isAwaited } from '../graph/asked-calls.ts'
import { callText, Digests, resultText, shapeText } from '../graph/digest.ts'
import { ranksOf } from '../graph/ranks.ts'
import { freeValue, NO_VARIABLES_SET, substitute, textOf, type Variables } from '../graph/substitution.ts'

/** Before a branch of a decision; behind the last branch, before its default. */
export interface Place {
  readonly step: DecisionStep
  readonly branch: number
  readonly variables: Variables
}

/** The end of an execution: equal texts are equal results. An end without a code is an error. */
export interface End {
  readonly end: string
  readonly code: string | undefined
  readonly fails: boolean
}

/** The continuation of an execution, with the possible errors before it and the events on the way. */
export interface Way {
  readonly to: Place | End
  readonly errors: readonly End[]
  readonly events: readonly string[]
}

/** The steps of one ruleset, followed for all inputs: an outcome of each condition is given. */
export class Walk {
  readonly #ruleset: Ruleset
  readonly #policy: EvaluationPolicy
  readonly #digests: Digests
  readonly #asked: AskedCalls
  /** No execution reaches `max_depth`, and none runs in circles. */
  readonly isFinite: boolean

  /** Whether an execution may make the same call any number of times. */
  get asksInLoops(): boolean {
    return !this.isFinite && !this.#asked.isEmpty
  }

  /** Walks that share the numbers can be compared. */
  constructor(ruleset: Ruleset, numbers: Map<string, number>) {
    this.#ruleset = ruleset
    this.#policy = evaluationPolicy(ruleset)
    const ranks = ranksOf(ruleset)
    this.isFinite = ranks !== undefined
    this.#asked = new AskedCalls(ruleset, shortName)
    this.#digests = new Digests(ruleset, numbers, ranks?.keys() ?? [])
  }

  start(): Way {
    return this.#enter(this.#ruleset.config.entryStep, NO_VARIABLES_SET, [], [])
  }

  /** The next condition over the input alone; undefined behind the last. */
  condition({ step, branch, variables }: Place): Expression | undefined {
    const next = step.branches[branch]
    return next && substitute(next.condition, variables, this.#policy)
  }

  /** Equal texts have equal continuations; undefined where an execution may not end. */
  textBehind({ step, branch, variables }: Place): string | undefined {
    const digest = this.#digests.from(step.id, branch)
    return digest === undefined ? undefined : `${digest}\n${textOf(variables)}`
  }

  /** The continuation after an outcome of the next condition: true `+`, false `-`, an error `!`. */
  onward({ step, branch, variables }: Place, outcome: string): Way {
    const place = placeOf(step.id, branch)
    if (outcome === '-') return { to: { step, branch: branch + 1, variables }, errors: [], events: [`passed ${place}`] }
    if (outcome !== '+') return { to: failure(outcome), errors: [], events: [] }
    const taken = step.branches[branch]
    const next = taken?.nextStep ?? step.defaultNext
    if (next === undefined) return { to: failure('no-branch'), errors: [], events: [`gap ${placeOf(step.id)}`] }
    const errors: End[] = []
    const after = taken === undefined ? variables : this.#run(taken.actions, step.id, variables, errors)
    return this.#enter(next, after, errors, [`taken ${place}`])
  }

  #enter(first: string, given: Variables, errors: End[], events: string[]): Way {
    const entered = new Set<string>()
    let variables = given
    for (let id = first; ;) {
      const step = this.#ruleset.steps.get(id)
      if (step === undefined || entered.has(id)) return { to: failure('max-depth'), errors, events }
      entered.add(id)
      events.push(`entered ${placeOf(id)}`)
      if (step.type === 'decision') return { to: { step, branch: 0, variables }, errors, events }
      if (step.type === 'terminal') {
        events.push(`code ${step.code}`)
        return { to: this.#end(step, variables), errors, events }
      }
      variables = this.#run(step.actions, id, variables, errors)
      id = step.nextStep
    }
  }

  #end(step: TerminalStep, variables: Variables): End {
    const parts = step.message.kind === 'text' ? [] : step.message.parts.filter((part) => typeof part !== 'string')
    const values = [...parts, ...step.output.map(([, value]) => value)].map((one) =>
      substitute(one, variables, this.#policy),
    )
    const end = values.length === 0 ? resultText(step) : `${shapeText(step)}\n${values.map(print).join('\n')}`
    return { end, code: step.code, fails: values.some((one) => canFail(one, this.#policy)) }
  }

  /** The variables after actions. An answer is a member of the input: the same for the same call. */
  #run(actions: readonly Action[], step: string, before: Variables, errors: End[]): Variables {
    if (actions.length === 0) return before
    const variables = new Map(before)
    for (const [index, action] of actions.entries()) {
      const values = expressionsOfAction(action).map((one) => substitute(one, variables, this.#policy))
      for (const one of values) if (canFail(one, this.#policy)) errors.push(failure(`!${print(one)}`))
      const [value] = values
      if (action.action === 'set_variable' && value !== undefined) variables.set(action.name, value)
      // A service may refuse a call that no one waits for.
      if (action.action === 'external_call' && !isAwaited(action))
        errors.push(failure(`!${step} ${index} ${callText(action)}(${values.map(print).join()})`))
      if (!isAwaited(action)) continue
      const isRuleset = action.action === 'call_ruleset'
      const asked = isRuleset
        ? this.#asked.ruleset(`${step} ${index}`, action, values, variables)
        : this.#asked.external(action, values, variables)
      const member = isRuleset ? asked.text : answerMember(action, shortName(asked.text))
      errors.push(failure(`!${member}`))
      const isNamed = !isRuleset && this.#asked.hasNames
      variables.set(action.resultVariable, isNamed ? answerOf(action, member) : freeValue(member))
      variables.set(asked.history, asked.calls)
    }
    return variables
  }
}

/** A text of a fixed length, which is another one for another text. */
function shortName(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)
}

function failure(end: string): End {
  return { end, code: undefined, fails: true }
}

/** The JSON pointer of a step, or of a branch of it. */
export function placeOf(step: string, branch?: number): string {
  const place = at(at(undefined, 'steps'), step)
  return pointer(branch === undefined ? place : at(at(place, 'branches'), branch))
}

/** A text that is equal for equal positions. */
export function positionText(one: Place | End): string {
  return 'end' in one ? one.end : `${placeOf(one.step.id, one.branch)}\n${textOf(one.variables)}`
}
