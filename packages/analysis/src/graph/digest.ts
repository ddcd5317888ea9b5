import { NO_SPAN, print, stringifyJson } from '@engine/expression'
import type { Action, CallRuleset, DecisionStep, ExternalCall, Message, Ruleset, TerminalStep } from '@engine/ruleset'
import { sortedText } from '../terms/term.ts'

/** Numbers for positions: the same number means the same decisions from there, given the same variables. */
export class Digests {
  readonly #numbers: Map<string, number>
  readonly #ruleset: Ruleset
  readonly #steps = new Map<string, number>()
  readonly #suffixes = new Map<string, readonly number[]>()

  /** Both versions share the table of numbers. The ruleset has no loops. */
  constructor(ruleset: Ruleset, numbers: Map<string, number>, order: Iterable<string>) {
    this.#ruleset = ruleset
    this.#numbers = numbers
    for (const id of [...order].toReversed()) this.#number(id)
  }

  /** From a branch of a decision on; from the number of its branches on: its default. */
  from(step: string, branch: number): number | undefined {
    return this.#suffixes.get(step)?.[branch]
  }

  #number(id: string): void {
    const step = this.#ruleset.steps.get(id)
    if (step === undefined) return
    if (step.type === 'terminal') this.#steps.set(id, this.#intern(resultText(step)))
    else if (step.type === 'action')
      this.#steps.set(id, this.#intern(`action ${actionsText(step.actions)} > ${this.#steps.get(step.nextStep)}`))
    else this.#steps.set(id, this.#decision(step))
  }

  #decision({ id, branches, defaultNext }: DecisionStep): number {
    let number = this.#intern(`default ${defaultNext === undefined ? 'none' : this.#steps.get(defaultNext)}`)
    const suffixes = [number]
    for (const { condition, actions, nextStep } of branches.toReversed()) {
      const taken = `${actionsText(actions)} > ${this.#steps.get(nextStep)}`
      number = this.#intern(`branch ${print(condition)} then ${taken} else ${number}`)
      suffixes.push(number)
    }
    this.#suffixes.set(id, suffixes.toReversed())
    return number
  }

  #intern(text: string): number {
    const known = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, known)
    return known
  }
}

/** Everything of a result but the values of its variables. */
export function resultText({ code, message, fields, output }: TerminalStep): string {
  const outputs = output
    .map(([name, value]) => [name, print(value)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `result ${stringifyJson([code, messageText(message), sortedText(Object.fromEntries(fields)), ...outputs.flat()])}`
}

/** A result with the names of its computed outputs, without what computes them. */
export function shapeText({ code, message, fields, output }: TerminalStep): string {
  const texts =
    message.kind === 'text' ? [message.text] : message.parts.map((part) => (typeof part === 'string' ? part : null))
  return JSON.stringify([
    code,
    texts,
    [...fields].map(([name, value]) => [name, print({ kind: 'literal', value, span: NO_SPAN })]),
    output.map(([name]) => name),
  ])
}

function messageText(message: Message): string {
  return message.kind === 'text'
    ? message.text
    : `template ${message.parts.map((part) => (typeof part === 'string' ? stringifyJson(part) : print(part))).join()}`
}

function actionsText(actions: readonly Action[]): string {
  return actions.map(actionText).join('; ')
}

function actionText(action: Action): string {
  switch (action.action) {
    case 'set_variable':
      return `${action.name} = ${print(action.value)}`
    case 'metric':
      return `metric ${print(action.value)}`
    case 'external_call':
    case 'call_ruleset':
      return callText(action)
    case 'log':
      return 'log'
  }
}

/** A call with its target, its arguments and its result variable. */
export function callText(action: CallRuleset | ExternalCall): string {
  if (action.action === 'call_ruleset') {
    const input = action.inputMapping === undefined ? null : print(action.inputMapping)
    return `call ${stringifyJson([action.rulesetName, input, action.resultVariable])}`
  }
  const params = action.params.map(([name, value]) => `${name} ${print(value)}`)
  return `external ${stringifyJson([action.service, action.method, ...params, action.resultVariable ?? null])}`
}
