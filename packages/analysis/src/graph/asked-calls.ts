import { type Expression, NO_SPAN, print, walk } from '@engine/expression'
import {
  type Action,
  actionsOf,
  type CallRuleset,
  type ExternalCall,
  expressionsOf,
  type Ruleset,
  type Step,
} from '@engine/ruleset'
import { type CallText, leadsToAnswer, mayBeEqual, parametersOf, textOfCall } from '../formula/answers.ts'
import { FREE } from '../formula/shape.ts'
import type { Variables } from './substitution.ts'

/** A call, with the history for later calls. */
export interface Asked {
  readonly text: string
  /** The variable that holds the calls up to this one. */
  readonly history: string
  readonly calls: Expression
}

/** The variable of called rulesets: they may make external calls. */
const RULESETS = `${FREE}called rulesets`

/**
 * Identifies calls along the paths of a ruleset. Two calls have the same answer if service, method and parameters are equal, and if
 * equally many calls with these came before. Hidden variables hold the earlier calls of each method.
 */
export class AskedCalls {
  /** Whether members of the input can stand for answers: no field has such a name. */
  readonly hasNames: boolean
  readonly #histories: ReadonlySet<string>
  readonly #shortName: (text: string) => string

  /** @param shortName a short name for a long text; the same text has the same name */
  constructor({ steps }: Ruleset, shortName: (text: string) => string) {
    this.#shortName = shortName
    const all = [...steps.values()]
    const calls = all.flatMap(actionsOf).filter(isAwaited)
    this.#histories = new Set(calls.map(historyOf))
    // Paths of contracts and of defaults have no blanks.
    let isTaken = false
    for (const expression of calls.length === 0 ? [] : all.flatMap(expressionsOf))
      walk(expression, (node) => {
        if (node.kind === 'field' && leadsToAnswer(node.path)) isTaken = true
      })
    this.hasNames = !isTaken
  }

  /** Whether a ruleset makes calls whose answers it awaits. */
  get isEmpty(): boolean {
    return this.#histories.size === 0
  }

  /** The hidden variables on which the calls of a step depend. */
  historiesReadBy(step: Step): readonly string[] {
    const calls = actionsOf(step).filter(isAwaited)
    if (calls.some(({ action }) => action === 'call_ruleset')) return [...this.#histories]
    return calls.flatMap((call) => [historyOf(call), RULESETS])
  }

  external(action: ExternalCall, values: readonly Expression[], variables: Variables): Asked & CallText {
    const { service, method } = action
    const parameters = parametersOf(action, values)
    const history = historyOf(action)
    const before = itemsOf(variables.get(history))
    const earlier = [...before.filter((one) => mayBeEqual(one, parameters)), ...itemsOf(variables.get(RULESETS))]
    const asked = { service, method, parameters, earlier }
    return { ...asked, text: textOfCall(asked), history, calls: listOf([...before, parameters]) }
  }

  /** @param place equal texts mean the same place */
  ruleset(place: string, { rulesetName }: CallRuleset, values: readonly Expression[], variables: Variables): Asked {
    const before = [...this.#histories].toSorted().flatMap((name) => {
      const calls = variables.get(name)
      return calls === undefined ? [] : [`${name} ${print(calls)}`]
    })
    const text = [`${place} call_ruleset ${rulesetName}(${values.map(print).join()})`, ...before].join(' after ')
    const one: Expression = { kind: 'literal', value: this.#shortName(text), span: NO_SPAN }
    return { text, history: RULESETS, calls: listOf([...itemsOf(variables.get(RULESETS)), one]) }
  }
}

type AwaitedCall = CallRuleset | (ExternalCall & { readonly resultVariable: string })

/** Whether later steps can read the answer of a call. */
export function isAwaited(action: Action): action is AwaitedCall {
  return action.action === 'call_ruleset' || (action.action === 'external_call' && action.resultVariable !== undefined)
}

/** No variable of a ruleset has such a name. */
function historyOf(call: AwaitedCall | ExternalCall): string {
  return call.action === 'call_ruleset' ? RULESETS : `${FREE}calls ${call.service}.${call.method}`
}

const listOf = (items: readonly Expression[]): Expression => ({ kind: 'array', items: [...items], span: NO_SPAN })

/** Calls of which nothing is known are one item. */
function itemsOf(calls: Expression | undefined): readonly Expression[] {
  if (calls === undefined) return []
  return calls.kind === 'array' ? calls.items : [calls]
}
