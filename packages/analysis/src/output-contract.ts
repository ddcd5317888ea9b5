import type { FieldType, TerminalStep } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import { kindsOfType } from './formula/contract-domain.ts'
import { type Kind, kindOf } from './terms/term.ts'
import { claims } from './witness/trail.ts'

/** The outputs of results with a code. */
export interface OutputContract {
  readonly code: string
  readonly fields: readonly { readonly name: string; readonly type: FieldType }[]
}

/** The outputs that a contract requires of results, by their code. Items of lists and members of concepts are not compared. */
export class OutputContracts {
  readonly #byCode: ReadonlyMap<string, ReadonlyMap<string, readonly Kind[]>>

  constructor(contracts: readonly OutputContract[]) {
    this.#byCode = new Map(
      contracts.map(({ code, fields }) => [code, new Map(fields.map(({ name, type }) => [name, kindsOfType(type)]))]),
    )
  }

  /** The kinds of values that each output may have, null apart; undefined: the contract has no such code. */
  of(code: string): ReadonlyMap<string, readonly Kind[]> | undefined {
    return this.#byCode.get(code)
  }

  /** The claims that a result shows: which outputs have their type, and which have another one. */
  shownBy({ id, code }: TerminalStep, output: { readonly [name: string]: Value }): readonly string[] {
    return [...(this.of(code) ?? [])].flatMap(([name, kinds]) => {
      const value = Object.hasOwn(output, name) ? output[name] : undefined
      if (value === undefined || value === null) return []
      return [claims.output(id, name, kinds.includes(kindOf(value)) ? 'right' : 'wrong')]
    })
  }
}
